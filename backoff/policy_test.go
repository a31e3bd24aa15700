package backoff

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const (
	ms      = time.Millisecond
	forever = time.Duration(math.MaxInt64)
)

// A Policy is comparable: this would not compile otherwise.
var _ = map[Policy]bool{{}: true}

func TestBounds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy Policy
		n      int
		lo, hi time.Duration
	}{
		{"zero policy, first", Policy{}, 0, 100 * ms, 200 * ms},
		{"zero policy, third", Policy{}, 2, 400 * ms, 800 * ms},
		{"zero policy, at the cap", Policy{}, 7, 10 * time.Second, 20 * time.Second},
		{"zero policy, n that overflows a power", Policy{}, 1e9, 10 * time.Second, 20 * time.Second},
		{"zero policy, largest n", Policy{}, math.MaxInt, 10 * time.Second, 20 * time.Second},
		{"negative n", Policy{}, math.MinInt, 100 * ms, 200 * ms},
		{"no jitter", Policy{Jitter: NoJitter}, 3, 800 * ms, 800 * ms},
		{"no jitter, at the cap", Policy{Jitter: NoJitter}, 8, 20 * time.Second, 20 * time.Second},
		{"half jitter", Policy{Jitter: 0.5}, 1, 200 * ms, 300 * ms},
		{"half jitter, at the cap", Policy{Max: 3 * time.Second, Jitter: 0.5}, 40, 2 * time.Second, 3 * time.Second},
		{"Min is Max", Policy{Min: time.Second, Max: time.Second}, 5, time.Second, time.Second},
		{"no room for the jitter", Policy{Min: 1000 * ms, Max: 1500 * ms}, 0, 1000 * ms, 1500 * ms},
		{"constant", Policy{Multiplier: 1}, 99, 100 * ms, 200 * ms},
		{"slow growth", Policy{Multiplier: 1.5, Jitter: NoJitter}, 3, 337500 * time.Microsecond, 337500 * time.Microsecond},
		{"Max below DefaultMin", Policy{Max: 10 * ms}, 0, 10 * ms, 10 * ms},
		{"Min above DefaultMax", Policy{Min: time.Minute}, 3, time.Minute, time.Minute},
		{"a nanosecond", Policy{Min: 1, Max: 1}, 9, 1, 1},
		{"no ceiling", Policy{Min: 1, Max: forever, Jitter: NoJitter}, 62, 1 << 62, 1 << 62},
		{"no ceiling, past it", Policy{Min: 1, Max: forever, Jitter: NoJitter}, 63, forever, forever},
		{"largest Min", Policy{Min: forever}, 1, forever, forever},
		{"Min that no float64 holds", Policy{Min: 1<<53 + 1, Max: forever, Jitter: NoJitter}, 0, 1<<53 + 1, 1<<53 + 1},
		// What Validate rejects counts as zero, and Max wins.
		{"Min above Max", Policy{Min: time.Minute, Max: time.Second}, 0, time.Second, time.Second},
		{"negative durations", Policy{Min: -1, Max: -1}, 0, 100 * ms, 200 * ms},
		{"NaN", Policy{Multiplier: math.NaN(), Jitter: math.NaN()}, 1, 200 * ms, 400 * ms},
		{"infinite", Policy{Multiplier: math.Inf(1), Jitter: math.Inf(1)}, 1, 200 * ms, 400 * ms},
		{"shrinking", Policy{Multiplier: 0.5, Jitter: -0.5}, 1, 200 * ms, 400 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if lo, hi := tt.policy.Bounds(tt.n); lo != tt.lo || hi != tt.hi {
				t.Errorf("%+v.Bounds(%d) = %v, %v; want %v, %v", tt.policy, tt.n, lo, hi, tt.lo, tt.hi)
			}
		})
	}
}

func TestDelayWithHint(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy Policy
		hint   time.Duration
		lo, hi time.Duration
	}{
		{"zero hint leaves the floor", Policy{}, 0, 100 * ms, 200 * ms},
		{"negative hint is none", Policy{}, math.MinInt64, 100 * ms, 200 * ms},
		{"short hint", Policy{}, 50 * ms, 100 * ms, 200 * ms},
		{"hint moves later", Policy{}, 10 * time.Second, 10 * time.Second, 11 * time.Second},
		{"hint above Max", Policy{Max: time.Second}, 5 * time.Second, 5 * time.Second, 5500 * ms},
		{"addition is at most Max", Policy{}, 24 * time.Hour, 24 * time.Hour, 24*time.Hour + 20*time.Second},
		{"hint that wraps seconds", Policy{}, forever, forever, forever},
		{"hint next to the largest", Policy{}, forever - 1, forever - 1, forever},
		{"no jitter, no addition", Policy{Jitter: NoJitter}, 10 * time.Second, 10 * time.Second, 10 * time.Second},
		{"less jitter, less addition", Policy{Jitter: 0.05}, 10 * time.Second, 10 * time.Second, 10500 * ms},
		{"no addition", Policy{HintJitter: NoJitter}, 10 * time.Second, 10 * time.Second, 10 * time.Second},
		{"larger addition", Policy{HintJitter: 1}, 10 * time.Second, 10 * time.Second, 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 200 {
				if d := tt.policy.Delay(0, tt.hint); d < tt.lo || d > tt.hi {
					t.Fatalf("%+v.Delay(0, %v) = %v, want %v to %v", tt.policy, tt.hint, d, tt.lo, tt.hi)
				}
			}
		})
	}
}

// Fifty clients that are told the same delay do not come back in step, and
// none of them comes back early.
func TestHintIsSpreadUpwards(t *testing.T) {
	const hint = 10 * time.Second
	var delays []time.Duration
	for range 50 {
		delays = append(delays, Policy{}.Delay(0, hint))
	}
	first, last := slices.Min(delays), slices.Max(delays)
	if first < hint || last > hint+hint/10 || last-first < hint/40 {
		t.Errorf("delays from %v to %v; want %v and up to a tenth more, at least a quarter of it apart", first, last, hint)
	}
}

// The whole range is used, or clients would still crowd together in a part.
func TestDelayFillsItsBounds(t *testing.T) {
	lo, hi := Policy{}.Bounds(1)
	var seen [4]int
	for range 4000 {
		seen[min(int(4*(Policy{}.Delay(1, 0)-lo)/(hi-lo)), 3)]++
	}
	for quarter, n := range seen {
		if n < 800 || n > 1200 {
			t.Errorf("quarter %d of the range has %d of 4000 delays, want about 1000", quarter, n)
		}
	}
}

// randomDuration returns Durations of every magnitude, and sometimes zero,
// negative or the largest.
func randomDuration() time.Duration {
	switch rand.N(12) {
	case 0:
		return 0
	case 1:
		return forever
	case 2:
		return -time.Duration(rand.Int64())
	}
	return time.Duration(rand.Int64() >> rand.N(63))
}

func randomFloat() float64 {
	switch rand.N(8) {
	case 0:
		return 0
	case 1:
		return NoJitter
	case 2:
		return math.Float64frombits(rand.Uint64())
	case 3:
		return 1 + rand.ExpFloat64()
	}
	return rand.Float64()
}

func randomPolicy() Policy {
	return Policy{
		Min: randomDuration(), Max: randomDuration(),
		Multiplier: randomFloat(), Jitter: randomFloat(), HintJitter: randomFloat(),
	}
}

// checkDelay holds what Policy promises about any delay of any policy.
func checkDelay(t *testing.T, p Policy, n int, hint time.Duration) {
	t.Helper()
	lo, hi := p.Bounds(n)
	if lo <= 0 || hi < lo {
		t.Fatalf("%+v.Bounds(%d) = %v, %v; want 0 < lo <= hi", p, n, lo, hi)
	}
	if ceiling := max(DefaultMax, p.Min); p.Max > 0 && hi > p.Max || p.Max <= 0 && hi > ceiling {
		t.Fatalf("%+v.Bounds(%d) = %v, %v; want at most Max", p, n, lo, hi)
	}
	if p.Min > 0 && p.Validate() == nil && lo < p.Min {
		t.Fatalf("%+v.Bounds(%d) = %v, %v; want at least Min", p, n, lo, hi)
	}
	if d := p.Delay(n, 0); d < lo || d > hi {
		t.Fatalf("%+v.Delay(%d, 0) = %v, want %v to %v", p, n, d, lo, hi)
	}
	if d := p.Delay(n, hint); d < hint || d < lo || d > max(hi, add(max(hint, 0), p.resolved().Max)) {
		t.Fatalf("%+v.Delay(%d, %v) = %v, want at least both %v and the hint, and at most Max more", p, n, hint, d, lo)
	}
}

func TestDelayOfRandomPolicies(t *testing.T) {
	for range 5_000 {
		p, hint := randomPolicy(), randomDuration()
		for n := -5; n < 70; n += 1 + rand.N(8) {
			checkDelay(t, p, n, hint)
		}
		checkDelay(t, p, rand.N(1_000_000), hint)
	}
}

// Delays of a valid policy never get shorter from one retry to the next.
func TestBoundsGrow(t *testing.T) {
	for range 200 {
		p := Policy{
			Min:        1 + rand.N(time.Minute),
			Max:        time.Minute + rand.N(24*time.Hour),
			Multiplier: 1.01 + rand.ExpFloat64(),
			Jitter:     rand.Float64(),
		}
		lo, hi := p.Bounds(-1)
		for n := range 3_000 {
			l, h := p.Bounds(n)
			if l < lo || h < hi {
				t.Fatalf("%+v.Bounds(%d) = %v, %v; before it %v, %v", p, n, l, h, lo, hi)
			}
			lo, hi = l, h
		}
		if hi != p.Max {
			t.Fatalf("%+v.Bounds(3000) = %v, %v; want Max reached", p, lo, hi)
		}
	}
}

func FuzzDelay(f *testing.F) {
	f.Add(int64(0), int64(0), 0.0, 0.0, 0.0, 0, int64(0))
	f.Add(int64(1), int64(math.MaxInt64), 1.5, -1.0, 1.0, 1_000_000_000, int64(math.MaxInt64))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), 3.0, 1e-17, 1e-300, 1, int64(86_400_000_000_000))
	f.Add(int64(2), int64(1), math.NaN(), math.Inf(-1), 2.0, math.MinInt, int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, lo, hi int64, multiplier, jitter, hintJitter float64, n int, hint int64) {
		p := Policy{
			Min: time.Duration(lo), Max: time.Duration(hi),
			Multiplier: multiplier, Jitter: jitter, HintJitter: hintJitter,
		}
		checkDelay(t, p, n, time.Duration(hint))
	})
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		policy Policy
		field  string // empty if valid
	}{
		{Policy{}, ""},
		{Policy{Min: 1, Max: 1, Multiplier: 1, Jitter: 1, HintJitter: 1, MaxAttempts: 1, MaxElapsed: 1}, ""},
		{Policy{Jitter: NoJitter, HintJitter: NoJitter, MaxAttempts: math.MaxInt}, ""},
		{Policy{Min: time.Hour}, ""},
		{Policy{Max: 1}, ""},
		{Policy{Min: -1}, "Min"},
		{Policy{Max: -1}, "Max"},
		{Policy{Min: 2, Max: 1}, "Min"},
		{Policy{Multiplier: 0.99}, "Multiplier"},
		{Policy{Multiplier: -2}, "Multiplier"},
		{Policy{Multiplier: math.NaN()}, "Multiplier"},
		{Policy{Multiplier: math.Inf(1)}, "Multiplier"},
		{Policy{Jitter: 50}, "Jitter"},
		{Policy{Jitter: -0.5}, "Jitter"},
		{Policy{Jitter: math.NaN()}, "Jitter"},
		{Policy{Jitter: math.Inf(1)}, "Jitter"},
		{Policy{HintJitter: 1.01}, "HintJitter"},
		{Policy{HintJitter: math.NaN()}, "HintJitter"},
		{Policy{MaxAttempts: -1}, "MaxAttempts"},
		{Policy{MaxElapsed: -1}, "MaxElapsed"},
	} {
		err := tt.policy.Validate()
		if tt.field == "" {
			if err != nil {
				t.Errorf("%+v.Validate() = %v, want nil", tt.policy, err)
			}
			continue
		}
		if e, ok := errors.AsType[*PolicyError](err); !ok || e.Field != tt.field {
			t.Errorf("%+v.Validate() = %v, want a PolicyError about %s", tt.policy, err, tt.field)
		}
	}
}

func TestPolicyErrorText(t *testing.T) {
	for _, tt := range []struct {
		policy Policy
		want   string
	}{
		{Policy{Min: -time.Second}, "backoff: Policy.Min is negative: -1s"},
		{Policy{Min: 2 * time.Second, Max: time.Second}, "backoff: Policy.Min of 2s is longer than Max, 1s"},
		{Policy{Jitter: 50}, "backoff: Policy.Jitter is neither NoJitter nor from 0 to 1: 50"},
	} {
		if got := tt.policy.Validate().Error(); got != tt.want {
			t.Errorf("%+v.Validate() = %q, want %q", tt.policy, got, tt.want)
		}
	}
}

// A float64 of a long Duration may be above it, but a share of it may not.
func TestScale(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 1<<53 + 3, forever - 1, forever} {
		for _, f := range []float64{1, math.Nextafter(1, 0)} {
			if got := scale(d, f); got > d || got < d-d/1000-1 {
				t.Errorf("scale(%d, %v) = %d, want about as much, not more", d, f, got)
			}
		}
	}
}

func TestDelayDoesNotAllocate(t *testing.T) {
	p := Policy{}
	if n := testing.AllocsPerRun(100, func() { p.Delay(3, time.Second) }); n != 0 {
		t.Errorf("Delay allocates %v times, want 0", n)
	}
}

func BenchmarkDelay(b *testing.B) {
	b.Run("no hint", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Policy{}.Delay(3, 0)
		}
	})
	b.Run("hint", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Policy{}.Delay(3, time.Second)
		}
	})
	b.Run("shared by all", func(b *testing.B) {
		p := Policy{}
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				p.Delay(3, 0)
			}
		})
	})
}

package simulate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func per(count int64, d time.Duration) Rate { return Rate{Count: count, Per: d} }

// models are all models with a clock of their own, with awkward parameters.
var models = []struct {
	name string
	make func() Adjustable
}{
	{"GCRA", func() Adjustable { return must(NewGCRA(100*ms, 450*ms)) }},
	{"GCRA without tolerance", func() Adjustable { return must(NewGCRA(333_333_333, 0)) }},
	{"token bucket", func() Adjustable { return must(NewTokenBucket(per(10, sec), 5)) }},
	{"token bucket, 7 in 3 s", func() Adjustable { return must(NewTokenBucket(per(7, 3*sec), 4)) }},
	{"tick bucket", func() Adjustable { return must(NewTickBucket(per(7, 3*sec), 4)) }},
	{"leaky bucket", func() Adjustable { return must(NewLeakyBucket(per(7, 3*sec), 4)) }},
	{"fixed window", func() Adjustable { return must(NewFixedWindow(per(7, sec), 300*ms)) }},
	{"fixed window from the first call", func() Adjustable { return must(NewFixedWindow(per(7, sec), FirstCall)) }},
	{"sliding log", func() Adjustable { return must(NewSlidingLog(per(7, sec))) }},
	{"sliding counter", func() Adjustable { return must(NewSlidingCounter(per(7, sec))) }},
	{"step refill", func() Adjustable { return must(NewStepRefill(per(3, sec), 7, 200*ms)) }},
}

// eachModel runs a test for every model, with random numbers of its own.
func eachModel(t *testing.T, test func(t *testing.T, s Adjustable, r *rand.Rand)) {
	t.Helper()
	for i, m := range models {
		t.Run(m.name, func(t *testing.T) { test(t, m.make(), NewRand(1, uint64(i))) })
	}
}

// randomArrivals are bunched: half of them come together, and some after a long
// rest. Costs are 1 to 3.
func randomArrivals(r *rand.Rand, n int, mean time.Duration) []Arrival {
	all := make([]Arrival, n)
	var at time.Duration
	for i := range all {
		switch r.IntN(20) {
		case 0:
			at += time.Duration(r.Int64N(int64(20 * mean)))
		case 1, 2, 3, 4, 5, 6, 7, 8, 9:
		default:
			at += time.Duration(r.Int64N(int64(2 * mean)))
		}
		all[i] = Arrival{At: at, Cost: 1 + r.Int64N(3)*r.Int64N(2)}
	}
	return all
}

// A call is admitted at the RetryAt of its refusal and not a nanosecond before,
// and one that was admitted has itself as RetryAt.
func TestRetryAtIsExact(t *testing.T) {
	eachModel(t, func(t *testing.T, s Adjustable, r *rand.Rand) {
		refused := 0
		for _, a := range randomArrivals(r, 20_000, 90*ms) {
			v := s.Arrive(a.At, a.Cost)
			if v.Admitted {
				if v.RetryAt != a.At {
					t.Fatalf("admitted at %v with RetryAt %v", a.At, v.RetryAt)
				}
				continue
			}
			if v.RetryAt == Never {
				if s.Policy().Burst >= a.Cost {
					t.Fatalf("cost %d never fits %v", a.Cost, s.Policy())
				}
				continue
			}
			refused++
			if early := s.Peek(v.RetryAt-1, a.Cost); early.Admitted {
				t.Fatalf("refused at %v until %v, admitted a nanosecond before", a.At, v.RetryAt)
			}
			if due := s.Peek(v.RetryAt, a.Cost); !due.Admitted {
				t.Fatalf("refused at %v until %v, then refused until %v", a.At, v.RetryAt, due.RetryAt)
			}
		}
		if refused < 1000 {
			t.Errorf("only %d refusals: the test has no bite", refused)
		}
	})
}

// Peek says what Arrive will say, and changes nothing, also when it looks far
// ahead.
func TestPeekIsArriveWithoutTaking(t *testing.T) {
	eachModel(t, func(t *testing.T, s Adjustable, r *rand.Rand) {
		twin := s.Clone()
		for _, a := range randomArrivals(r, 5_000, 90*ms) {
			s.Peek(a.At+time.Duration(r.Int64N(int64(time.Hour))), a.Cost)
			peeked := s.Peek(a.At, a.Cost)
			got, want := s.Arrive(a.At, a.Cost), twin.Arrive(a.At, a.Cost)
			if got != want || got != peeked {
				t.Fatalf("at %v: Arrive %+v, Peek %+v, without peeking %+v", a.At, got, peeked, want)
			}
		}
	})
}

// The level never leaves 0..burst, a refusal takes nothing, and an admission
// takes the cost.
func TestLevels(t *testing.T) {
	eachModel(t, func(t *testing.T, s Adjustable, r *rand.Rand) {
		for _, a := range randomArrivals(r, 5_000, 90*ms) {
			v := s.Arrive(a.At, a.Cost)
			taken := 0.0
			if v.Admitted {
				taken = float64(a.Cost)
			}
			if math.Abs(v.Before-taken-v.Left) > 1e-9 {
				t.Fatalf("at %v: %v before, %v left, cost %d: %+v", a.At, v.Before, v.Left, a.Cost, v)
			}
			if v.Left < 0 || v.Before > float64(s.Policy().Burst)+0.5 {
				t.Fatalf("at %v: level out of bounds: %+v", a.At, v)
			}
			if v.ResetAt < a.At {
				t.Fatalf("at %v: reset in the past: %+v", a.At, v)
			}
		}
	})
}

// A cost that never fits is told from one that has to wait, and takes nothing.
func TestNever(t *testing.T) {
	eachModel(t, func(t *testing.T, s Adjustable, _ *rand.Rand) {
		burst := s.Policy().Burst
		for _, cost := range []int64{burst + 1, math.MaxInt64} {
			if v := s.Arrive(0, cost); v.Admitted || v.RetryAt != Never {
				t.Errorf("cost %d of %d: %+v", cost, burst, v)
			}
		}
		if v := s.Arrive(0, burst); !v.Admitted {
			t.Errorf("cost %d of %d: %+v", burst, burst, v)
		}
		if v := s.Arrive(0, 1); v.Admitted {
			t.Errorf("cost 1 after %d of %d: %+v", burst, burst, v)
		}
	})
}

// Time that runs backward stands still, and a cost below 1 counts as 1.
func TestArrivalsAreClamped(t *testing.T) {
	eachModel(t, func(t *testing.T, s Adjustable, _ *rand.Rand) {
		twin := s.Clone()
		for _, step := range []struct{ at, clamped time.Duration }{
			{-5, 0}, {math.MinInt64, 0}, {350 * ms, 350 * ms}, {0, 350 * ms}, {349 * ms, 350 * ms},
			{2 * sec, 2 * sec}, {Never, Horizon}, {3 * sec, Horizon},
		} {
			got, want := s.Arrive(step.at, math.MinInt64), twin.Arrive(step.clamped, 1)
			if got != want {
				t.Errorf("Arrive(%v) = %+v, want that of %v: %+v", step.at, got, step.clamped, want)
			}
		}
	})
}

// Charge takes what is there and no more: the next unit comes as it would after
// units that were asked for.
func TestChargeEmptiesAtMost(t *testing.T) {
	eachModel(t, func(t *testing.T, s Adjustable, _ *rand.Rand) {
		twin := s.Clone()
		twin.Arrive(0, twin.Policy().Burst)
		s.Arrive(0, 1)
		s.Charge(0, math.MaxInt64)
		got, want := s.Peek(0, 1), twin.Peek(0, 1)
		if got.Before < 0 || got.Before >= 1 || got.Admitted {
			t.Errorf("after Charge of everything: %+v", got)
		}
		if got.RetryAt < want.RetryAt || got.RetryAt > want.RetryAt+2*sec {
			t.Errorf("RetryAt %v, want %v or a little later", got.RetryAt, want.RetryAt)
		}
	})
}

// A limit that becomes what it was changes nothing; a level is kept in units
// when the limit grows, and cut when it shrinks.
func TestAdjustKeepsTheLevel(t *testing.T) {
	eachModel(t, func(t *testing.T, s Adjustable, _ *rand.Rand) {
		s.Arrive(0, 1)
		p := s.Policy()
		before := s.Peek(0, 1).Before
		if err := s.Adjust(0, p); err != nil {
			t.Fatal(err)
		}
		if got := s.Peek(0, 1).Before; math.Abs(got-math.Min(before, float64(p.Burst))) > 1e-6 {
			t.Errorf("level %v became %v with the same policy", before, got)
		}
		p.Rate.Count, p.Burst = max(p.Rate.Count/2, 1), 1
		if err := s.Adjust(0, p); err != nil {
			t.Fatal(err)
		}
		if got := s.Peek(0, 1).Before; got > float64(s.Policy().Burst) {
			t.Errorf("level %v with %+v", got, s.Policy())
		}
		if err := s.Adjust(0, Policy{}); err == nil {
			t.Error("Adjust took an empty policy")
		}
		s.Arrive(sec, 1) // and it still divides by something
	})
}

// Whatever arrives, whenever: no panic, no negative level, no retry in the past.
func FuzzArrive(f *testing.F) {
	f.Add(int64(0), int64(1), int64(50), int64(2), int64(1e9), int64(3))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MinInt64), int64(math.MinInt64), int64(1)<<62, int64(-1))
	f.Fuzz(func(t *testing.T, at1, cost1, at2, cost2, at3, cost3 int64) {
		for _, m := range models {
			s := m.make()
			checkVerdict(t, m.name, s.Arrive(time.Duration(at1), cost1), at1)
			s.Charge(time.Duration(at2), cost2)
			checkVerdict(t, m.name, s.Arrive(time.Duration(at2), cost2), at2)
			_ = s.Adjust(time.Duration(at3), Policy{per(cost1, time.Duration(at1)), cost2})
			checkVerdict(t, m.name, s.Arrive(time.Duration(at3), cost3), at3)
		}
	})
}

func checkVerdict(t *testing.T, name string, v Verdict, at int64) {
	t.Helper()
	at = min(max(at, 0), int64(Horizon))
	if v.Left < 0 || math.IsNaN(v.Left) || v.Left > v.Before || int64(v.RetryAt) < at || int64(v.ResetAt) < at {
		t.Errorf("%s at %d: %+v", name, at, v)
	}
}

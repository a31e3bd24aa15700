package backoff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	cenkalti "github.com/cenkalti/backoff/v4"
)

// Each test here is one way to get ExponentialBackOff of cenkalti/backoff/v4,
// or what is built on it, wrong.

// Its instances may not be shared. The race detector is the judge.
func TestTrapSharing(t *testing.T) {
	p := Policy{Max: time.Second}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			seq := p.Start()
			for n := range 1000 {
				if d := p.Delay(n, 0); d > p.Max {
					t.Errorf("Delay(%d) = %v, want at most %v", n, d, p.Max)
				}
				seq.NextBackOff()
			}
		})
	}
	wg.Wait()
}

// Its MaxInterval caps what is then multiplied by up to 1.5.
func TestTrapMaxIntervalBeforeJitter(t *testing.T) {
	for _, jitter := range []float64{NoJitter, 0.1, 0.5, 1} {
		p := Policy{Max: time.Second, Jitter: jitter}
		for range 1000 {
			if d := p.Delay(20, 0); d > p.Max {
				t.Fatalf("jitter %v: delay %v is longer than Max, %v", jitter, d, p.Max)
			}
		}
	}
}

// At the cap there is still jitter, or clients would fall into step there.
func TestTrapNoJitterAtTheCap(t *testing.T) {
	if lo, hi := (Policy{}).Bounds(1000); lo > hi-hi/4 {
		t.Errorf("Bounds(1000) = %v, %v; want them apart", lo, hi)
	}
}

// A literal without Stop returns 0, not Stop, when its time is up: a hot loop.
func TestTrapStopUnset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seq := Policy{MaxElapsed: time.Second}.Start()
		time.Sleep(time.Minute)
		if d := seq.NextBackOff(); d != cenkalti.Stop {
			t.Errorf("delay when time is up is %v, want Stop", d)
		}
	})
}

// A literal without Clock panics in Reset; without Reset it starts with 0.
func TestTrapZeroSequence(t *testing.T) {
	var seq Sequence
	for range 2 {
		if d := seq.NextBackOff(); d < DefaultMin || d > 2*DefaultMin {
			t.Errorf("first delay of the zero Sequence is %v, want 100ms to 200ms", d)
		}
		seq.Reset()
	}
}

// A Multiplier of 0 makes every delay but the first 0.
func TestTrapMultiplierUnset(t *testing.T) {
	if lo, _ := (Policy{}).Bounds(1); lo != 2*DefaultMin {
		t.Errorf("second delay of the zero Policy is at least %v, want 200ms", lo)
	}
}

// Each step is truncated to whole nanoseconds, so that short intervals never
// grow when stepped one by one.
func TestTrapTruncatedSteps(t *testing.T) {
	p := Policy{Min: 1, Max: time.Hour, Multiplier: 1.5, Jitter: NoJitter}
	if lo, _ := p.Bounds(100); lo != time.Hour {
		t.Errorf("1 ns times 1.5^100 is %v, want Max, 1h", lo)
	}
}

// MaxElapsedTime is 15 minutes unless set, and ends retries without a word
// (cenkalti/backoff#159).
func TestTrapSilentMaxElapsedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := Policy{Min: time.Hour, Jitter: NoJitter, Multiplier: 1}
		n, err := Retry(t.Context(), p, failing(errBoom, errBoom, busy(24*time.Hour), nil))
		if took := time.Since(start); n != 4 || err != nil || took != 26*time.Hour {
			t.Errorf("%d attempts in %v, %v; want success at the 4th after 26h", n, took, err)
		}
	})
}

// Its Retry unwraps a permanent error, and with it what was wrapped around it.
func TestTrapPermanentLosesOuterMessage(t *testing.T) {
	_, err := Retry(t.Context(), Policy{}, failing(fmt.Errorf("save: %w", Permanent(errBoom))))
	if e, ok := errors.AsType[*RetryError](err); !ok || e.Err.Error() != "save: boom" {
		t.Errorf("%v, want save: boom kept", err)
	}
}

// Any PermanentError is any other to errors.Is; their causes are not.
func TestTrapPermanentErrorsAreAlike(t *testing.T) {
	errOther := errors.New("other")
	_, err := Retry(t.Context(), Policy{}, failing(Permanent(errBoom)))
	if !errors.Is(err, errBoom) || errors.Is(err, errOther) {
		t.Errorf("%v: is boom %t, is other %t; want true, false", err, errors.Is(err, errBoom), errors.Is(err, errOther))
	}
}

// The zero of WithMaxRetries has meant both "never" and "for ever".
func TestTrapZeroRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for attempts, want := range map[int]int{0: DefaultMaxAttempts, 1: 1, 2: 2} {
			if n, _ := Retry(t.Context(), Policy{MaxAttempts: attempts}, failing(errBoom)); n != want {
				t.Errorf("MaxAttempts %d: %d attempts, want %d", attempts, n, want)
			}
		}
	})
}

// Its Ticker ticks on while an operation runs, so that no wait is left after a
// slow one. Here the wait starts when the operation has ended.
func TestTrapSlowOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, slow := time.Now(), failing(errBoom, nil)
		_, err := Retry(t.Context(), steady, func(ctx context.Context) (int, error) {
			time.Sleep(time.Minute)
			return slow(ctx)
		})
		if took := time.Since(start); err != nil || took != 2*time.Minute+time.Second {
			t.Errorf("took %v, %v; want 2m1s", took, err)
		}
	})
}

// Random helpers panic on an empty range, and doubling overflows around the
// 35th to the 63rd try.
func TestTrapRangesAndOverflow(t *testing.T) {
	for _, p := range []Policy{
		{Min: time.Second, Max: time.Second},
		{Min: 0, Max: time.Second},
		{Min: 0, Max: 1},
		{Min: 1, Max: forever},
		{Min: forever, Max: forever},
		{Min: time.Second, Max: time.Millisecond},
		{Min: -time.Second, Max: time.Second},
		{Min: 1, Max: forever, Multiplier: math.MaxFloat64},
	} {
		for n := range 201 {
			if d := p.Delay(n, 0); d <= 0 || d > p.Max {
				t.Fatalf("%+v.Delay(%d, 0) = %v, want above 0, at most Max", p, n, d)
			}
		}
	}
}

package simulate

import (
	"math/big"
	"testing"
	"time"
)

// By the book, in exact fractions: prev*(1-age) + cur + cost <= limit.
func TestSlidingCounterIsTheTextbook(t *testing.T) {
	c := must(NewSlidingCounter(per(7, sec)))
	counts := map[time.Duration]int64{}
	for _, a := range randomArrivals(NewRand(8, 1), 20_000, 90*ms) {
		window := a.At / sec
		estimate := big.NewRat(int64(sec-a.At%sec), int64(sec))
		estimate.Mul(estimate, big.NewRat(counts[window-1], 1))
		estimate.Add(estimate, big.NewRat(counts[window]+a.Cost, 1))
		v := c.Arrive(a.At, a.Cost)
		if fits := estimate.Cmp(big.NewRat(7, 1)) <= 0; v.Admitted != fits {
			t.Fatalf("at %v: estimate %v with this call, %+v", a.At, estimate, v)
		}
		if v.Admitted {
			counts[window] += a.Cost
		}
	}
}

// A window without calls forgets the one before it, from its end on.
func TestSlidingCounterForgets(t *testing.T) {
	c := must(NewSlidingCounter(per(7, sec)))
	c.Arrive(500*ms, 7)
	for _, tt := range []struct {
		at   time.Duration
		want float64
	}{{sec, 0}, {1500 * ms, 3.5}, {2 * sec, 7}} {
		if got := c.Clone().Peek(tt.at, 1).Before; got != tt.want {
			t.Errorf("at %v: %v free, want %v", tt.at, got, tt.want)
		}
	}
}

// It lets through less than twice the limit in any window, and no more than the
// limit a window in the long run.
func TestSlidingCounterInTheLongRun(t *testing.T) {
	c := must(NewSlidingCounter(per(10, sec)))
	sum := must(Run(c, Bursts(1, 10*ms, 100*sec).All()))
	if sum.Allowed > 1000 || sum.Allowed < 900 {
		t.Errorf("%d of 10,000 allowed in 100 s at 10/s", sum.Allowed)
	}
	if got := sum.LargestBurst(); got > 15 || got < 10 {
		t.Errorf("%d within a second, want 10 to 15", got)
	}
}

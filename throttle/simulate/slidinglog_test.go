package simulate

import (
	"testing"
	"time"
)

// No half-open window holds more than the limit, and a call is refused only if
// the window that ends with it would.
func TestSlidingLogHoldsInAnyWindow(t *testing.T) {
	l := must(NewSlidingLog(per(7, sec)))
	var in []Arrival
	for _, a := range randomArrivals(NewRand(7, 1), 20_000, 90*ms) {
		sum := a.Cost
		for i := len(in) - 1; i >= 0 && in[i].At > a.At-sec; i-- {
			sum += in[i].Cost
		}
		v := l.Arrive(a.At, a.Cost)
		if v.Admitted != (sum <= 7) {
			t.Fatalf("at %v: %d in the window with this call, %+v", a.At, sum, v)
		}
		if v.Admitted {
			in = append(in, a)
		}
	}
}

// A log that counts refusals too keeps only as many as matter, and decides as
// one that kept them all.
func TestSlidingLogChargedBeyondItsSize(t *testing.T) {
	l := CountRefused{must(NewSlidingLog(per(7, sec)))}
	var all []time.Duration
	for _, a := range randomArrivals(NewRand(7, 2), 20_000, 120*ms) {
		var sum int64
		for i := len(all) - 1; i >= 0 && all[i] > a.At-sec; i-- {
			sum++
		}
		v := l.Arrive(a.At, a.Cost)
		if v.Admitted != (sum+a.Cost <= 7) {
			t.Fatalf("at %v: %d in the window before this call of %d, %+v", a.At, sum, a.Cost, v)
		}
		for range a.Cost {
			all = append(all, a.At)
		}
	}
}

// A lower limit lets nothing in until enough has left; a higher one has room at
// once.
func TestSlidingLogAdjust(t *testing.T) {
	l := must(NewSlidingLog(per(4, sec)))
	for i := range 4 {
		l.Arrive(time.Duration(i)*100*ms, 1)
	}
	adjust := func(count int64) {
		if err := l.Adjust(300*ms, Policy{Rate: per(count, sec)}); err != nil {
			t.Fatal(err)
		}
	}
	adjust(2)
	if v := l.Peek(300*ms, 1); v.Admitted || v.RetryAt != 1200*ms {
		t.Errorf("4 in a log of 2: %+v, want retry when 3 have left", v)
	}
	adjust(40)
	if v := l.Arrive(300*ms, 36); !v.Admitted || v.Left != 0 {
		t.Errorf("4 in a log of 40: %+v", v)
	}
}

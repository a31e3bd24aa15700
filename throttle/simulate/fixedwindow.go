package simulate

import "time"

// A FixedWindow admits a number of units in each window and forgets them when
// it ends: up to twice that number around a boundary.
type FixedWindow struct {
	rate  Rate
	phase time.Duration
	used  int64
	last  time.Duration
	end   time.Duration // of the current window
}

// FirstCall as a phase makes a window begin with the first call after the last
// one ended, as with a counter that expires (INCR and EXPIRE in Redis).
const FirstCall = time.Duration(-1)

// NewFixedWindow returns a window of rate.Per that admits rate.Count units.
// Windows begin at phase and every rate.Per before and after it; phase must be
// less than rate.Per, or FirstCall.
func NewFixedWindow(rate Rate, phase time.Duration) (*FixedWindow, error) {
	if err := checkRate("fixed window", rate); err != nil {
		return nil, err
	}
	if phase < FirstCall || phase >= rate.Per {
		return nil, &ParamError{Model: "fixed window", Field: "phase", Value: phase, Want: "0 or more and less than the window"}
	}
	return &FixedWindow{rate: rate, phase: phase}, nil
}

func (w *FixedWindow) turn(at time.Duration) {
	w.last, _ = clampArrival(at, w.last, 1)
	if w.last < w.end {
		return
	}
	w.used = 0
	w.end = w.last + w.rate.Per
	if w.phase != FirstCall {
		w.end = w.last + w.rate.Per - (w.last+w.rate.Per-w.phase)%w.rate.Per
	}
}

// Arrive implements [Server].
func (w *FixedWindow) Arrive(at time.Duration, cost int64) Verdict {
	w.turn(at)
	cost = max(cost, 1)
	v := Verdict{Before: w.left(), RetryAt: w.last, ResetAt: w.end}
	switch {
	case cost > w.rate.Count:
		v.RetryAt = Never
	case cost > w.rate.Count-w.used:
		v.RetryAt = w.end
	default:
		w.used += cost
		v.Admitted = true
	}
	v.Left = w.left()
	return v
}

func (w *FixedWindow) left() float64 { return float64(max(w.rate.Count-w.used, 0)) }

// Peek implements [Server].
func (w *FixedWindow) Peek(at time.Duration, cost int64) Verdict {
	copied := *w
	return copied.Arrive(at, cost)
}

// Charge implements [Charger].
func (w *FixedWindow) Charge(at time.Duration, cost int64) {
	w.turn(at)
	w.used = min(w.used+min(max(cost, 1), maxUnits), maxUnits)
}

// Policy implements [Server].
func (w *FixedWindow) Policy() Policy { return Policy{Rate: w.rate, Burst: w.rate.Count} }

// Fits implements [Adjustable]. The window's length is fixed.
func (w *FixedWindow) Fits(p Policy) error { return fitsWindow("fixed window", p, w.rate.Per) }

// Clone implements [Adjustable].
func (w *FixedWindow) Clone() Adjustable {
	copied := *w
	return &copied
}

// Adjust implements [Adjustable]. What was used in this window stays used.
func (w *FixedWindow) Adjust(at time.Duration, p Policy) error {
	if err := w.Fits(p); err != nil {
		return err
	}
	w.turn(at)
	w.rate = p.Rate
	return nil
}

// fitsWindow checks a policy for a model whose span cannot change.
func fitsWindow(model string, p Policy, per time.Duration) error {
	if err := checkRate(model, p.Rate); err != nil {
		return err
	}
	if p.Rate.Per != per {
		return &ParamError{Model: model, Field: "per", Value: p.Rate.Per, Want: "unchanged"}
	}
	return nil
}

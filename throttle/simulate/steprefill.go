package simulate

import "time"

// A StepRefill is a bucket that gets several units at once, at fixed steps
// (Envoy's local rate limit): full at the start, then rate.Count more every
// rate.Per, up to its size.
type StepRefill struct {
	wholeTokens
	next time.Duration // step, after last
}

// NewStepRefill returns a full bucket of size units, with a step at phase and
// every rate.Per after it; phase must be at most rate.Per.
func NewStepRefill(rate Rate, size int64, phase time.Duration) (*StepRefill, error) {
	if err := checkBucket("step refill", rate, size); err != nil {
		return nil, err
	}
	if phase < 0 || phase > rate.Per {
		return nil, &ParamError{Model: "step refill", Field: "phase", Value: phase, Want: "0 to the interval"}
	}
	if phase == 0 {
		phase = rate.Per // a step at 0 finds the bucket full
	}
	return &StepRefill{wholeTokens{rate: rate, size: size, tokens: size}, phase}, nil
}

// SetLevel puts tokens into the bucket in place of what is there: 0 empties
// it. It returns a [*ParamError] for a number that the bucket cannot hold.
func (s *StepRefill) SetLevel(at time.Duration, tokens int64) error {
	if err := s.checkLevel("step refill", tokens); err != nil {
		return err
	}
	s.refill(at)
	s.tokens = tokens
	return nil
}

func (s *StepRefill) refill(at time.Duration) {
	s.last, _ = clampArrival(at, s.last, 1)
	if s.last < s.next {
		return
	}
	steps := 1 + int64((s.last-s.next)/s.rate.Per)
	s.tokens += mulCap(steps, s.rate.Count, s.size-s.tokens)
	s.next += time.Duration(steps) * s.rate.Per
}

// due returns the step with which n more units will have come, one at least.
func (s *StepRefill) due(n int64) time.Duration {
	return s.next + time.Duration(divUp(n, s.rate.Count)-1)*s.rate.Per
}

// Arrive implements [Server].
func (s *StepRefill) Arrive(at time.Duration, cost int64) Verdict {
	s.refill(at)
	v := s.take(cost, s.due)
	v.ResetAt = s.next
	return v
}

// Peek implements [Server].
func (s *StepRefill) Peek(at time.Duration, cost int64) Verdict {
	copied := *s
	return copied.Arrive(at, cost)
}

// Charge implements [Charger].
func (s *StepRefill) Charge(at time.Duration, cost int64) {
	s.refill(at)
	s.charge(cost)
}

// Policy implements [Server].
func (s *StepRefill) Policy() Policy { return Policy{Rate: s.rate, Burst: s.size} }

// Fits implements [Adjustable]. The interval is fixed.
func (s *StepRefill) Fits(p Policy) error {
	return firstError(checkBucket("step refill", p.Rate, p.Burst), fitsWindow("step refill", p, s.rate.Per))
}

// Clone implements [Adjustable].
func (s *StepRefill) Clone() Adjustable {
	copied := *s
	return &copied
}

// Adjust implements [Adjustable].
func (s *StepRefill) Adjust(at time.Duration, p Policy) error {
	if err := s.Fits(p); err != nil {
		return err
	}
	s.refill(at)
	s.resize(p)
	return nil
}

package simulate

import (
	"testing"
	"time"
)

// 50 at first, 40 more every minute, never more than 50: counted step by step.
func TestStepRefill(t *testing.T) {
	for i, phase := range []time.Duration{0, 1, 17 * sec, time.Minute} {
		s := must(NewStepRefill(per(40, time.Minute), 50, phase))
		tokens, next := int64(50), phase
		for _, a := range randomArrivals(NewRand(9, uint64(i)), 20_000, sec) {
			for next <= a.At {
				tokens = min(tokens+40, 50)
				next += time.Minute
			}
			v := s.Arrive(a.At, a.Cost)
			if v.Admitted != (tokens >= a.Cost) || v.Before != float64(tokens) || v.ResetAt != next {
				t.Fatalf("phase %v, at %v: %d tokens, next step %v, %+v", phase, a.At, tokens, next, v)
			}
			if v.Admitted {
				tokens -= a.Cost
			}
		}
	}
}

func TestStepRefillSetLevel(t *testing.T) {
	s := must(NewStepRefill(per(1, sec), 3, 0))
	if err := s.SetLevel(0, 0); err != nil {
		t.Fatal(err)
	}
	if v := s.Peek(0, 3); v.RetryAt != 3*sec {
		t.Errorf("from empty: %+v", v)
	}
	if s.SetLevel(0, 4) == nil || s.SetLevel(0, -1) == nil {
		t.Error("took a level that it cannot hold")
	}
}

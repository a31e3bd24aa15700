package simulate

import (
	"testing"
	"time"
)

// change without bringing it about.
func TestChanging(t *testing.T) {
	full, half := Policy{per(10, sec), 10}, Policy{per(5, sec), 5}
	c := must(NewChanging(must(NewTokenBucket(full.Rate, 10)), Change{sec, half}, Change{2 * sec, full}))
	if v := c.Peek(sec, 1); v.Before != 5 {
		t.Errorf("peek at the change: %+v, want 5 before", v)
	}
	for _, tt := range []struct {
		at     time.Duration
		before float64
	}{{0, 10}, {sec, 5}, {2*sec - 1, 5}, {2 * sec, 5}, {2500 * ms, 10}} {
		if v := c.Arrive(tt.at, 100); v.Before < tt.before-1e-6 || v.Before > tt.before {
			t.Errorf("at %v: %+v, want %v before", tt.at, v, tt.before)
		}
	}
	c.Charge(2500*ms, 10)
	if v := c.Peek(2500*ms, 1); v.Admitted || c.Policy() != full {
		t.Errorf("after Charge: %+v under %+v", v, c.Policy())
	}
}

package simulate

import (
	"testing"
)

// A place is free when a call has ended, and not before.
func TestConcurrency(t *testing.T) {
	c := must(NewConcurrency(2))
	if v := c.Arrive(0, 3); v.RetryAt != Never {
		t.Errorf("3 of 2: %+v", v)
	}
	c.Arrive(0, 1)
	c.Arrive(0, 1)
	if v := c.Arrive(sec, 1); v.Admitted || v.RetryAt != Unknown || v.ResetAt != Unknown {
		t.Errorf("a third: %+v", v)
	}
	c.Depart(sec, 1)
	if v := c.Peek(sec, 1); !v.Admitted {
		t.Errorf("after one left: %+v", v)
	}
	c.Depart(sec, 10)
	if v := c.Arrive(sec, 2); !v.Admitted || v.Left != 0 {
		t.Errorf("after all left: %+v", v)
	}
}

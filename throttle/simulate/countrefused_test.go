package simulate

import (
	"testing"
)

// Who hammers a bucket that counts refusals stays out; who waits gets in.
func TestCountRefused(t *testing.T) {
	c := CountRefused{must(NewTokenBucket(per(1, sec), 1))}
	c.Arrive(0, 1)
	var v Verdict
	for at := 900 * ms; at <= 9*sec; at += 900 * ms {
		if v = c.Arrive(at, 1); v.Admitted || v.RetryAt != at+sec || v.Left != 0 {
			t.Fatalf("hammered at %v: %+v, want retry a second later", at, v)
		}
	}
	if v := c.Arrive(v.RetryAt, 1); !v.Admitted {
		t.Errorf("after the wait: %+v", v)
	}
	if v := c.Arrive(20*sec, 2); v.RetryAt != Never || v.Left != 1 {
		t.Errorf("a cost that never fits: %+v, want it to take nothing", v)
	}
}

package simulate

import "testing"

// It fills with calls and leaks; Adjust keeps the room.
func TestLeakyBucket(t *testing.T) {
	b := must(NewLeakyBucket(per(2, sec), 4))
	b.Arrive(0, 3)
	if v := b.Arrive(0, 2); v.Admitted || v.Before != 1 || v.RetryAt != 500*ms || v.ResetAt != 1500*ms {
		t.Errorf("3 of 4 poured, 2 more: %+v", v)
	}
	if err := b.Adjust(0, Policy{per(1, sec), 10}); err != nil {
		t.Fatal(err)
	}
	if v := b.Peek(0, 1); v.Before != 1 || v.ResetAt != 10*sec {
		t.Errorf("room of 1, now of 10: %+v", v)
	}
}

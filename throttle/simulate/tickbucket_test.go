package simulate

import (
	"testing"
	"time"
)

// Three tokens in ten seconds come whole at 3⅓, 6⅔ and 10 s, not before, and a
// bucket that was full in between loses those that it had no room for.
func TestTickBucket(t *testing.T) {
	b := must(NewTickBucket(per(3, 10*sec), 2))
	for _, tt := range []struct {
		at   time.Duration
		left float64 // after a call for 1 that may be refused
		ok   bool
	}{
		{0, 1, true}, {sec, 0, true}, {3_333_333_333, 0, false}, {3_333_333_334, 0, true},
		{6 * sec, 0, false}, {6_666_666_667, 0, true}, {10 * sec, 0, true},
		{40 * sec, 1, true}, {41 * sec, 0, true}, {43 * sec, 0, false}, {43_333_333_334, 0, true},
	} {
		if v := b.Arrive(tt.at, 1); v.Admitted != tt.ok || v.Left != tt.left {
			t.Errorf("at %v: %+v, want %t, left %v", tt.at, v, tt.ok, tt.left)
		}
	}
}

// With one token a tick it is the step refill of one.
func TestTickBucketIsAStepOfOne(t *testing.T) {
	b := must(NewTickBucket(per(1, 100*ms), 5))
	s := must(NewStepRefill(per(1, 100*ms), 5, 0))
	for _, a := range randomArrivals(NewRand(5, 1), 20_000, 100*ms) {
		vb, vs := b.Arrive(a.At, a.Cost), s.Arrive(a.At, a.Cost)
		vb.ResetAt, vs.ResetAt = 0, 0 // full, and next step
		if vb != vs {
			t.Fatalf("at %v cost %d: tick %+v, step %+v", a.At, a.Cost, vb, vs)
		}
	}
}

// Never more than the burst and the ticks in between.
func TestTickBucketNeverAdmitsMore(t *testing.T) {
	b := must(NewTickBucket(per(3, sec), 4))
	in := admitted(b, randomArrivals(NewRand(5, 2), 6_000, 200*ms))
	over := mostOver(in, func(w time.Duration) int64 { return 4 + int64((3*w+sec-1)/sec) })
	if over > 0 || over < -1 {
		t.Errorf("worst excess is %d, want 0 or almost", over)
	}
}

func TestTickBucketSetLevel(t *testing.T) {
	b := must(NewTickBucket(per(1, sec), 3))
	if err := b.SetLevel(500*ms, 0); err != nil {
		t.Fatal(err)
	}
	if v := b.Peek(500*ms, 1); v.RetryAt != sec {
		t.Errorf("emptied at 0.5 s: %+v, want retry at the tick", v)
	}
	if b.SetLevel(sec, 4) == nil || b.SetLevel(sec, -1) == nil {
		t.Error("took a level that it cannot hold")
	}
}

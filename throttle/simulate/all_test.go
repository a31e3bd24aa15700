package simulate

import (
	"testing"
	"time"
)

// Both limits hold, and a call that one of them refuses costs the other nothing.
func TestAllTakesFromAllOrNone(t *testing.T) {
	second, minute := must(NewFixedWindow(per(5, sec), 0)), must(NewSlidingLog(per(60, time.Minute)))
	both := must(NewAll(second, minute))
	seconds, log := must(NewFixedWindow(per(5, sec), 0)), must(NewSlidingLog(per(60, time.Minute)))
	refusals := [2]int{}
	for _, a := range randomArrivals(NewRand(10, 1), 20_000, 150*ms) {
		a1, a2 := seconds.Peek(a.At, a.Cost).Admitted, log.Peek(a.At, a.Cost).Admitted
		v := both.Arrive(a.At, a.Cost)
		if v.Admitted != (a1 && a2) {
			t.Fatalf("at %v: %t and %t, together %+v", a.At, a1, a2, v)
		}
		if v.Admitted {
			seconds.Arrive(a.At, a.Cost)
			log.Arrive(a.At, a.Cost)
			continue
		}
		for i, ok := range []bool{a1, a2} {
			if !ok {
				refusals[i]++
			}
		}
		if both.Peek(v.RetryAt-1, a.Cost).Admitted || !both.Peek(v.RetryAt, a.Cost).Admitted {
			t.Fatalf("at %v: RetryAt %v is not exact", a.At, v.RetryAt)
		}
	}
	if min(refusals[0], refusals[1]) < 100 {
		t.Errorf("refusals %v: one of the limits never mattered", refusals)
	}
}

// The published policy is that of the limit which had the last word.
func TestAllPolicy(t *testing.T) {
	a := must(NewAll(must(NewFixedWindow(per(2, sec), 0)), must(NewFixedWindow(per(3, time.Minute), 0))))
	for i, want := range []int64{2, 2, 2} {
		a.Arrive(0, 1)
		if got := a.Policy().Rate.Count; got != want {
			t.Errorf("call %d: policy of %d, want %d", i, got, want)
		}
	}
	a.Arrive(sec, 1)
	if got := a.Policy().Rate.Count; got != 3 || len(a.Policies()) != 2 {
		t.Errorf("used up for the minute: policy of %d, want 3", got)
	}
}

// Of two refusals, Never outlasts Unknown, and Unknown any instant.
func TestAllRetry(t *testing.T) {
	calls, rate := must(NewConcurrency(2)), must(NewTokenBucket(per(1, sec), 1))
	calls.Arrive(0, 1)
	for _, a := range []*All{must(NewAll(calls, rate)), must(NewAll(rate, calls))} {
		if v := a.Peek(0, 2); v.RetryAt != Never {
			t.Errorf("2 of a burst of 1: %+v", v)
		}
	}
	a := must(NewAll(rate, calls))
	a.Arrive(0, 1)
	if v := a.Peek(0, 1); v.Admitted || v.RetryAt != Unknown {
		t.Errorf("no token and no place: %+v", v)
	}
	a.Depart(0, 1)
	if v := a.Peek(0, 1); v.Admitted || v.RetryAt != sec {
		t.Errorf("a place and no token: %+v", v)
	}
}

// A limit that changes at the instant of a call changes for all or none.
func TestAllOfChanging(t *testing.T) {
	drop := must(NewChanging(must(NewFixedWindow(per(10, sec), 0)), Change{500 * ms, Policy{Rate: per(1, sec)}}))
	other := must(NewFixedWindow(per(10, sec), 0))
	a := must(NewAll(other, drop))
	a.Arrive(0, 1)
	if v := a.Arrive(500*ms, 1); v.Admitted {
		t.Errorf("one used of one: %+v", v)
	}
	if v := other.Peek(500*ms, 1); v.Before != 9 {
		t.Errorf("a refused call took from the other limit: %+v", v)
	}
}

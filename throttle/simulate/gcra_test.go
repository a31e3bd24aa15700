package simulate

import (
	"testing"
	"time"
)

// admitted returns the arrivals that the server let in.
func admitted(s Server, arrivals []Arrival) []Arrival {
	var in []Arrival
	for _, a := range arrivals {
		if s.Arrive(a.At, a.Cost).Admitted {
			in = append(in, a)
		}
	}
	return in
}

// mostOver returns the highest excess of the units from any call to any later
// one over limit(time between them).
func mostOver(in []Arrival, limit func(time.Duration) int64) int64 {
	most := int64(-1 << 62)
	for i := range in {
		var sum int64
		for _, b := range in[i:] {
			sum += b.Cost
			most = max(most, sum-limit(b.At-in[i].At))
		}
	}
	return most
}

// Between any two admitted calls, both included, no more than the burst and
// what the rate brings in between; and that much is reached.
func TestGCRANeverAdmitsMore(t *testing.T) {
	g := must(NewGCRA(100*ms, 400*ms))
	in := admitted(g, randomArrivals(NewRand(2, 1), 8_000, 60*ms))
	over := mostOver(in, func(w time.Duration) int64 { return 5 + int64(w/(100*ms)) })
	if over != 0 {
		t.Errorf("worst excess over the limit is %d, want 0", over)
	}
}

// The tolerance is the last instant that conforms.
func TestGCRATolerance(t *testing.T) {
	for _, tt := range []struct {
		tolerance time.Duration
		burst     int
	}{{0, 1}, {99 * ms, 1}, {100 * ms, 2}, {199 * ms, 2}, {900 * ms, 10}} {
		g := must(NewGCRA(100*ms, tt.tolerance))
		n := 0
		for g.Arrive(0, 1).Admitted {
			n++
		}
		if n != tt.burst || g.Policy().Burst != int64(tt.burst) {
			t.Errorf("tolerance %v: %d back to back, policy %+v; want %d", tt.tolerance, n, g.Policy(), tt.burst)
		}
	}
}

// A GCRA, a token bucket and a leaky bucket are three views of one thing: with
// tolerance (B-1)*T they decide alike and name the same instants.
func TestGCRAIsATokenBucketIsALeakyBucket(t *testing.T) {
	for i, tt := range []struct {
		interval time.Duration
		burst    int64
	}{{100 * ms, 5}, {333_333_333, 3}, {7, 10}, {sec, 1}, {1, 2}} {
		g := must(NewGCRA(tt.interval, time.Duration(tt.burst-1)*tt.interval))
		b := must(NewTokenBucket(per(1, tt.interval), tt.burst))
		l := must(NewLeakyBucket(per(1, tt.interval), tt.burst))
		for _, a := range randomArrivals(NewRand(3, uint64(i)), 20_000, tt.interval) {
			cost := min(a.Cost, tt.burst)
			vg, vb, vl := g.Arrive(a.At, cost), b.Arrive(a.At, cost), l.Arrive(a.At, cost)
			if vg != vb || vb != vl {
				t.Fatalf("at %v cost %d:\nGCRA  %+v\ntoken %+v\nleaky %+v", a.At, cost, vg, vb, vl)
			}
		}
	}
}

// Half of the debt in units stays half, whatever the interval becomes.
func TestGCRAAdjust(t *testing.T) {
	g := must(NewGCRA(100*ms, 900*ms))
	g.Arrive(0, 6)
	if err := g.Adjust(0, Policy{per(1, sec), 20}); err != nil {
		t.Fatal(err)
	}
	if v := g.Peek(0, 5); v.Before != 4 || v.RetryAt != sec {
		t.Errorf("4 left of 10, now 20 at one a second: %+v", v)
	}
	if err := g.Adjust(0, Policy{per(1, sec), 2}); err != nil {
		t.Fatal(err)
	}
	if v := g.Peek(0, 2); v.Before != 2 || !v.Admitted {
		t.Errorf("cut to 2: %+v", v)
	}
}

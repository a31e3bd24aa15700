package throttle

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// unknown is a policy that says nothing.
var unknown = Policy{Remaining: -1, Reset: -1}

func published(change func(*Policy)) Policy {
	p := unknown
	change(&p)
	return p
}

// What each kind of statement amounts to.
func TestPlan(t *testing.T) {
	seen := sighting{at: 0, from: fresh, to: 0, spread: 0.5}
	for _, tt := range []struct {
		name     string
		policy   Policy
		interval time.Duration
		burst    int
		end      time.Duration // 0: none
	}{
		{"rate and burst", published(func(p *Policy) { p.Limit, p.Window, p.Burst = 100, 10*time.Second, 20 }), 100 * time.Millisecond, 20, 0},
		{"a rate below one a window", published(func(p *Policy) { p.Limit, p.Window = 0.5, time.Second }), 2 * time.Second, 1, 0},
		{"a window, ten of it at once", published(func(p *Policy) { p.Limit, p.Window = 100, 91*time.Second }), 1000550 * time.Microsecond, 10, 0},
		{"half may go at once", published(func(p *Policy) { p.Limit, p.Remaining, p.Reset = 60, 60, 29900*time.Millisecond }), 29900 * time.Millisecond / 31, 30, 29900 * time.Millisecond},
		{"the rest is spread", published(func(p *Policy) { p.Limit, p.Remaining, p.Reset = 60, 20, 10500*time.Millisecond }), 525 * time.Millisecond, 1, 10500 * time.Millisecond},
		{"whole seconds may be cut off", published(func(p *Policy) { p.Limit, p.Remaining, p.Reset = 60, 0, 10*time.Second }), 11 * time.Second, 1, 11 * time.Second},
		{"but not beyond the window", published(func(p *Policy) { p.Limit, p.Window, p.Reset, p.Remaining = 60, time.Second, time.Second, 0 }), time.Second, 1, time.Second},
	} {
		p := tt.policy.sane()
		got, ok := p.plan(seen)
		g := newGCRA(got.limit)
		if !ok || g.limit.Burst != tt.burst || (time.Duration(g.interval)-tt.interval).Abs() > time.Microsecond {
			t.Errorf("%s: T = %v, burst %d (%t), want %v and %d", tt.name, time.Duration(g.interval), g.limit.Burst, ok, tt.interval, tt.burst)
		}
		if end := got.end; tt.end == 0 && end != far || tt.end != 0 && end != int64(tt.end) {
			t.Errorf("%s: ends at %v, want %v", tt.name, time.Duration(end), tt.end)
		}
	}
	for _, p := range []Policy{
		unknown,
		published(func(p *Policy) { p.Limit = 100 }),
		published(func(p *Policy) { p.Remaining = 5 }),
		published(func(p *Policy) { p.Limit, p.Window = math.NaN(), time.Second }),
		published(func(p *Policy) { p.Limit, p.Window, p.Burst = math.Inf(1), time.Second, 1 }),
	} {
		p = p.sane()
		if got, ok := p.plan(seen); ok {
			t.Errorf("%+v became %+v", p, got.limit)
		}
	}
}

// Whatever a server says, a budget neither panics nor stops for ever: once the
// reset and the time to ask are past, a call may go.
func TestHostilePolicies(t *testing.T) {
	values := []float64{0, 1, -1, 0.3, 7, 1e9, 1e15, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)}
	times := []time.Duration{0, -1, 1, time.Second, 90 * time.Second, time.Hour, math.MaxInt64, math.MinInt64}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() float64 { return values[r.IntN(len(values))] }
	when := func() time.Duration { return times[r.IntN(len(times))] }
	for range 3000 {
		b := &Budget{}
		at := time.Now()
		for range 4 {
			at = at.Add(time.Second)
			ticket, _, ok := b.TryAt(at, Call{})
			if !ok {
				continue
			}
			p := Policy{Limit: pick(), Window: when(), Burst: pick(), Remaining: pick(), Reset: when()}
			ticket.AnsweredAt(at.Add(time.Millisecond), []Policy{p})
			ticket.DoneAt(at.Add(time.Millisecond))
			for _, l := range b.Limits() {
				if err := l.Validate(); err != nil {
					t.Fatalf("%+v became %+v: %v", p, l, err)
				}
			}
		}
	}
}

// No more than what remains goes before the reset, at which one call asks; the
// others go when its answer has come, or late enough without one.
func TestQuota(t *testing.T) {
	b := &Budget{}
	start := time.Now()
	ticket, _, _ := b.TryAt(start, Call{})
	p := published(func(p *Policy) { p.Limit, p.Remaining, p.Reset = 10, 6, 9500*time.Millisecond })
	ticket.AnsweredAt(start, []Policy{p})

	gone := map[bool]int{}
	var asker Ticket
	for at := start; at.Before(start.Add(12 * time.Second)); at = at.Add(10 * time.Millisecond) {
		if tk, _, ok := b.TryAt(at, Call{}); ok {
			late := at.Sub(start) >= 9500*time.Millisecond
			if gone[late]++; late {
				asker = tk
			}
		}
	}
	if gone[false] != 6 || gone[true] != 1 {
		t.Errorf("%d went before the reset and %d after it, want 6 and 1", gone[false], gone[true])
	}
	p.Remaining = 9
	asker.AnsweredAt(start.Add(12*time.Second), []Policy{p})
	if _, _, ok := b.TryAt(start.Add(12*time.Second), Call{}); !ok {
		t.Error("nothing goes although the next window has been announced")
	}
}

// Where no answer brings the next figures, what is known of the limit holds, and
// nobody waits for the old interval.
func TestQuotaWithoutNews(t *testing.T) {
	b := &Budget{}
	start := time.Now()
	ticket, _, _ := b.TryAt(start, Call{})
	ticket.AnsweredAt(start, []Policy{published(func(p *Policy) { p.Limit, p.Remaining, p.Reset = 100, 0, time.Hour+time.Millisecond })})
	if _, next, ok := b.TryAt(start, Call{}); ok || next.Sub(start) < time.Hour {
		t.Fatalf("goes at %v (%t), want nothing before the reset", next.Sub(start), ok)
	}
	late := start.Add(time.Hour + 10*time.Second)
	n := 0
	for range 50 {
		if _, _, ok := b.TryAt(late, Call{}); ok {
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d go at once when the figures are stale, want the tenth of a limit of 100", n)
	}
}

// A policy that is no longer published, while others are, is forgotten; and a
// new name on every answer does not pile up.
func TestPoliciesAreForgotten(t *testing.T) {
	b := &Budget{}
	at := time.Now()
	answer := func(name string, perSecond float64) {
		at = at.Add(time.Minute)
		if ticket, _, ok := b.TryAt(at, Call{}); ok {
			ticket.AnsweredAt(at, []Policy{published(func(p *Policy) { p.Name, p.Limit, p.Window, p.Burst = name, perSecond, time.Second, 1 })})
			ticket.DoneAt(at)
		}
	}
	answer("v1", 1.0/60)
	for range 4 {
		answer("v2", 100)
	}
	if got := b.Limits(); len(got) != 1 || got[0].Rate != 100 {
		t.Errorf("limits %+v, want that of v2 alone", got)
	}
	for i := range 1000 {
		answer(string(rune('a'+i%500)), 100)
		at = at.Add(-time.Minute)
	}
	if got := len(b.Limits()); got > maxKnown {
		t.Errorf("%d limits are kept", got)
	}
}

// A bucket whose reset says when it will be full again, in whole seconds, looks
// like a window, but more is left again long before.
func TestBucketThatLooksLikeAWindow(t *testing.T) {
	for _, rps := range []float64{20, 50} {
		start := time.Now()
		server := &toyBucket{rate: rps, size: 20, level: 20, at: start}
		var b Budget
		at, sent := start, 0
		for ; sent < 400 && at.Before(start.Add(10*time.Minute)); at = at.Add(time.Millisecond) {
			ticket, _, ok := b.TryAt(at, Call{})
			if !ok {
				continue
			}
			if sent++; !server.take(at) {
				t.Fatalf("call %d is refused", sent)
			}
			full := math.Ceil((server.size - server.level) / rps)
			ticket.AnsweredAt(at.Add(time.Millisecond/2), []Policy{published(func(p *Policy) {
				p.Limit, p.Remaining, p.Reset = server.size, math.Floor(server.level), time.Duration(full)*time.Second
			})})
		}
		if took, best := at.Sub(start).Seconds(), 380/rps; took > 1.2*best {
			t.Errorf("%v/s: %d calls took %.2f s, the bucket allows %.2f s", rps, sent, took, best)
		}
	}
}

// Whoever comes to a bucket of which others have taken a part has no more than
// what is left, from the first answer on.
func TestFirstSightOfAUsedBucket(t *testing.T) {
	const interval, size = 100 * time.Millisecond, 20
	for used := range size {
		var b Budget
		start := time.Now()
		tat := time.Duration(used) * interval // of the server, since the start
		refused := 0
		for since := time.Duration(0); since < 3*time.Second; {
			ticket, _, ok := b.TryAt(start.Add(since), Call{})
			if !ok {
				since += time.Millisecond
				continue
			}
			if max(tat, since)+interval-size*interval > since {
				refused++
			} else {
				tat = max(tat, since) + interval
			}
			left := size - math.Ceil(float64(max(tat-since, 0))/float64(interval))
			ticket.AnsweredAt(start.Add(since), []Policy{{Limit: 10, Window: time.Second, Burst: size, Remaining: left, Reset: -1}})
			ticket.DoneAt(start.Add(since))
		}
		if refused > 0 {
			t.Errorf("%d used up before: %d calls refused", used, refused)
		}
	}
}

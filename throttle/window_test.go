package throttle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// How servers round the time until the end of a window.
var roundings = map[string]func(end, at float64) float64{
	"cut off":    func(end, at float64) float64 { return math.Floor(end - at) },
	"rounded up": func(end, at float64) float64 { return math.Ceil(end - at) },
	"nearest":    func(end, at float64) float64 { return math.Round(end - at) },
	"instants":   func(end, at float64) float64 { return math.Floor(end) - math.Floor(at) },
}

// The end that answers give together is never before that of the window, and
// where the server cuts off it is soon no more than a round trip behind it.
func TestEndOfAWindow(t *testing.T) {
	for name, round := range roundings {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			for range 200 {
				length := 1 + random.Float64()*20
				phase := random.Float64()
				var w windowEnd
				left, before, sent := 100.0, -1.0, int64(0)
				for at := phase; at < 5*length; at += 0.02 + random.Float64()*0.1 {
					start := math.Floor(at/length) * length
					if at-start < 0.12 {
						left = 100
					}
					there, back := random.Float64()*0.05, random.Float64()*0.05
					if at+there >= start+length || at+there+back >= start+length {
						continue // this answer is of two windows
					}
					sent++
					reset := round(start+length, at+there)
					p := Policy{Limit: 100, Remaining: left - 1, Reset: time.Duration(reset) * time.Second}
					ticket := &Ticket{cost: 1, sent: sent, ended: sent - 1}
					seen := sighting{from: int64(at * 1e9), at: int64((at + there + back) * 1e9), own: sent}
					got := w.narrow(&p, before, ticket, seen)
					left--
					before = left
					if late := float64(got)/1e9 - (start + length); reset > 0 && late < -1e-6 {
						t.Fatalf("%v: at %.3f the window of %.3f ends by %.3f", name, at, start+length, float64(got)/1e9)
					} else if name == "cut off" && at-start > 2.2 && at < start+length-1.2 && late > 0.3 {
						t.Fatalf("at %.3f the window of %.3f is only known to end by %.3f", at, start+length, float64(got)/1e9)
					}
				}
			}
		})
	}
}

// A server that has nothing at what was thought to be the end is believed its
// resets from then on, with the second that they may have been cut off.
func TestEndInVain(t *testing.T) {
	var w windowEnd
	ticket := &Ticket{cost: 1, sent: 1}
	second := int64(time.Second)
	p := Policy{Limit: 10, Remaining: 5, Reset: 2 * time.Second}
	if got := w.narrow(&p, -1, ticket, sighting{from: fresh, at: second, own: 1}); got != 4*second {
		t.Errorf("ends by %v, want 4s", time.Duration(got))
	}
	p.Remaining = 0
	if got := w.narrow(&p, 5, ticket, sighting{from: 5 * second, at: 5 * second, own: 2}); got != far {
		t.Errorf("ends by %v, want to know nothing", time.Duration(got))
	}
	if got := w.narrow(&p, 0, ticket, sighting{from: 6 * second, at: 6 * second, own: 3}); got != far {
		t.Errorf("ends by %v, want to know nothing for good", time.Duration(got))
	}
}

// A backlog at a fixed window whose resets are cut off to whole seconds: nothing
// is refused, and no window but the first takes longer than it is.
func TestBacklogAtAWindow(t *testing.T) {
	for _, window := range []time.Duration{2 * time.Second, 5 * time.Second, 10 * time.Second} {
		t.Run(fmt.Sprint(window), func(t *testing.T) {
			const limit, calls = 50, 400
			var b Budget
			start := time.Now()
			begin, used := start, 0
			at, sent := start, 0
			for ; sent < calls && at.Before(start.Add(time.Hour)); at = at.Add(time.Millisecond) {
				ticket, _, ok := b.TryAt(at, Call{})
				if !ok {
					continue
				}
				sent++
				if at.Sub(begin) >= window {
					begin, used = at, 0
				}
				if used++; used > limit {
					t.Fatalf("call %d is refused after %v", sent, at.Sub(start))
				}
				ticket.AnsweredAt(at.Add(time.Millisecond/2), []Policy{{
					Limit: limit, Remaining: float64(limit - used), Reset: (begin.Add(window).Sub(at)).Truncate(time.Second),
				}})
				ticket.SucceededAt(at.Add(time.Millisecond / 2))
				ticket.DoneAt(at.Add(time.Millisecond / 2))
			}
			took, best := at.Sub(start), window*(calls/limit-1)
			if took > best+best/8+2*time.Second {
				t.Errorf("took %v, the windows allow %v", took, best)
			}
			t.Logf("took %v, the windows allow %v", took, best)
		})
	}
}

// A clock that reads less than nothing, as in a synctest bubble, is a clock as any
// other.
func TestEndInVainBeforeTheEpoch(t *testing.T) {
	var w windowEnd
	const second = int64(time.Second)
	begin := -1000 * second
	p := Policy{Limit: 10, Remaining: 5, Reset: 2 * time.Second}
	ticket := &Ticket{cost: 1, sent: 1}
	if got := w.narrow(&p, -1, ticket, sighting{from: fresh, at: begin, own: 1}); got != begin+3*second {
		t.Errorf("ends by %v, want 3 s from the answer", time.Duration(got))
	}
	p.Remaining = 0
	at := begin + 4*second
	if got := w.narrow(&p, 5, ticket, sighting{from: at, at: at, own: 2}); got != far {
		t.Errorf("ends by %v, want to know nothing", time.Duration(got))
	}
}

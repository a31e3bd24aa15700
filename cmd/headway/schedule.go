package main

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// manyCalls is how many calls a schedule is drawn up for.
const manyCalls = 100

// A schedule is what a Transport that has seen one response makes of it, for
// calls that are sent as soon as they may go and answered at once. Times count
// from the response on.
type schedule struct {
	limits   []limit
	refused  bool
	coolDown time.Duration
	calls    []time.Duration // when each of manyCalls goes, as far as is known
	unknown  string          // why they are not all known
}

// A limit is what follows from one policy.
type limit struct {
	throttle.Limit
	policy headers.Policy
	basis  basis
}

// A basis is what a limit follows from.
type basis string

const (
	fromBucket    basis = "bucket"    // a rate and a burst
	fromWindow    basis = "window"    // so many a window
	fromRemaining basis = "remaining" // what remains until the reset
)

// newSchedule runs the real schedule on a clock of its own.
func newSchedule(status int, said headers.Result) schedule {
	read := transport.Read(status, said)
	s := schedule{limits: limitsOf(said.Policies), refused: read.Refused}
	policies := read.Policies
	start := time.Now()
	run := replay{start: start, at: start, server: newServer(policies, start)}
	ticket, _, _ := run.budget.TryAt(start, throttle.Call{})
	if s.refused {
		s.coolDown = backoff.Policy{Jitter: backoff.NoJitter}.Delay(0, read.RetryIn)
		ticket.RefusedAt(start, throttle.Refusal{Policies: policies, Delay: func(int) time.Duration { return s.coolDown }})
	} else {
		ticket.AnsweredAt(start, policies)
		ticket.SucceededAt(start)
	}
	ticket.DoneAt(start)
	s.calls, s.unknown = run.calls(manyCalls)
	return s
}

// limitsOf asks a budget of its own about each policy.
func limitsOf(policies []headers.Policy) []limit {
	var limits []limit
	for _, p := range policies {
		got, ok := limitOf(p)
		if !ok {
			continue
		}
		l := limit{Limit: got, policy: p, basis: fromRemaining}
		p.Remaining.OK, p.Reset.OK = false, false
		if without, ok := limitOf(p); ok && without == got {
			l.basis = fromWindow
			if p.Burst.OK {
				l.basis = fromBucket
			}
		}
		limits = append(limits, l)
	}
	return limits
}

func limitOf(p headers.Policy) (throttle.Limit, bool) {
	var b throttle.Budget
	at := time.Now()
	ticket, _, _ := b.TryAt(at, throttle.Call{})
	ticket.AnsweredAt(at, transport.Read(http.StatusOK, headers.Result{Policies: []headers.Policy{p}}).Policies)
	limits := b.Limits()
	if len(limits) == 0 {
		return throttle.Limit{}, false
	}
	return limits[0], true
}

// interval is T, the time between two calls in the long run.
func (l limit) interval() time.Duration { return times(1/float64(l.Rate), time.Second) }

// tolerance is τ = (B−1)·T: how far ahead of its time a call may be.
func (l limit) tolerance() time.Duration {
	return times(float64(l.Burst-1)/float64(l.Rate), time.Second)
}

// margin is how much of the tolerance is kept back for the network.
func (l limit) margin() time.Duration { return min(l.Margin, l.tolerance()/4) }

// times saturates.
func times(n float64, d time.Duration) time.Duration {
	const most = 1 << 62
	if v := n * float64(d); v < most {
		return time.Duration(v + 0.5)
	}
	return most
}

// A replay sends calls, one after the other.
type replay struct {
	budget throttle.Budget
	server server
	start  time.Time
	at     time.Time
}

// calls returns when each of n calls goes, and if there are fewer, why.
func (r *replay) calls(n int) (when []time.Duration, unknown string) {
	for range n {
		before := r.at
		ticket, ok := r.next()
		if !ok {
			return when, "no later instant is known at which a call may go"
		}
		if r.server.blind && r.at.Sub(before) > blindGap {
			return when, noWindow
		}
		when = append(when, r.at.Sub(r.start))
		if r.server.lost(r.at) && len(when) < n {
			return when, noLimit
		}
		ticket.AnsweredAt(r.at, r.server.answer(r.at))
		ticket.SucceededAt(r.at)
		ticket.DoneAt(r.at)
	}
	return when, ""
}

// next waits for the next slot. What a budget says of when is what it knows
// now, so it may say so several times.
func (r *replay) next() (throttle.Ticket, bool) {
	for range 1000 {
		ticket, next, ok := r.budget.TryAt(r.at, throttle.Call{})
		if ok {
			return ticket, true
		}
		if !next.After(r.at) {
			break
		}
		r.at = next
	}
	return throttle.Ticket{}, false
}

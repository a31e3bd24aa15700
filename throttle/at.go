package throttle

import "time"

// The methods here are for those who keep time themselves, for instance a
// simulation: they read no clock, start no timer and never block. Do not mix
// them with the others on one budget, nor give instants that go back.

// TryAt is [Budget.Acquire] at instant t, without the waiting. If the call may
// go then, it is charged, and ok is true. If not, next is when to try again if
// nothing else happens before, and the zero Time if no such instant is known:
// then only what comes of another call can help.
func (b *Budget) TryAt(t time.Time, call Call) (ticket Ticket, next time.Time, ok bool) {
	at, n := instant(t), max(1, call.Cost)
	b.lock()
	defer b.unlock()
	b.settle(at)
	if b.never(&b.main, n) != nil {
		return Ticket{}, time.Time{}, false
	}
	due := b.due(&b.main, n, true)
	if due > at {
		if due = min(due, b.staleAt()); due < far {
			next = t.Add(time.Duration(due - at))
		}
		return Ticket{}, next, false
	}
	ticket = b.charge(&b.main, at, n, true, false)
	ticket.pressed = at-due < int64(time.Millisecond)
	return ticket, t, true
}

// AnsweredAt is [Ticket.Answered] at instant at.
func (t *Ticket) AnsweredAt(at time.Time, policies []Policy) {
	t.answered(func() int64 { return instant(at) }, policies)
}

// DoneAt is [Ticket.Done] at instant at.
func (t *Ticket) DoneAt(at time.Time) { t.done(func() int64 { return instant(at) }) }

// RefusedAt is [Ticket.Refused] at instant at.
func (t *Ticket) RefusedAt(at time.Time, r Refusal) time.Duration {
	return t.refused(instant(at), r)
}

// SucceededAt is [Ticket.Succeeded] at instant at.
func (t *Ticket) SucceededAt(at time.Time) { t.succeeded(func() int64 { return instant(at) }) }

// DrawWith takes the random numbers of the budget, from [0, 1), from the given
// function, so that a simulation can be repeated. Call it before the first
// call.
func (b *Budget) DrawWith(random func() float64) {
	b.lock()
	defer b.unlock()
	b.random = random
	for _, c := range b.common() {
		c.share.random = random
	}
}

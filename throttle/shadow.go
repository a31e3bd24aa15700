package throttle

import (
	"context"
	"strconv"
	"time"
)

// A Forecast is what would have become of a call that went at once, had it been
// held to the schedule.
type Forecast struct {
	// Wait is how long it would have waited for its slot, as it looked when it
	// came: a call of a higher priority that comes later is not foreseen.
	Wait time.Duration

	// Cause is what it would have waited for, empty if for nothing. For
	// CauseConcurrency, Wait is zero: nobody can foresee when another call ends.
	Cause Cause

	// Err is why it would have been refused at once: what [Budget.Acquire] says.
	// Nil if it would not.
	Err error
}

// Shadow is [Lane.Acquire] for a call that goes at once all the same. It does not
// block, and the ticket is good in any case; the Forecast says what Acquire would
// have done.
//
// The call takes its place in the queue, and is charged when its slot is due, so
// that the forecasts for those behind it are right. One that would have been
// refused is not charged. Do not mix Shadow and Acquire on one budget.
//
// What is answered to calls that went before their slot is not what would have
// been answered to them then. So of those answers, and of all others while a
// slot is still to come, no more is taken in than the limits that they publish:
// neither refusals, nor what is left, but for the first that is heard of a quota.
// Nor is a rate learned from refusals, or a share of a limit that others use.
func (l *Lane) Shadow(ctx context.Context, call Call) (Ticket, Forecast) {
	b, n := l.budget, max(1, call.Cost)
	b.touch()
	t := Ticket{budget: b, lane: l, cost: n, at: fresh, shadow: true}
	t.ended, t.sent = l.scope.ended.Load(), l.scope.sent.Add(int64(n))
	var f Forecast
	switch {
	case call.Cost < 0:
		f.Err = badField("Cost", strconv.Itoa(call.Cost), "is not a positive number")
	case ctx.Err() != nil:
		f.Err = done(ctx)
	default:
		var v verdict
		if v, t.at = b.pass(l, n); v != goes {
			f = b.foresee(ctx, &t, call)
		}
	}
	t.waited, t.cause = f.Wait, f.Cause
	t.astray = f.Wait > 0 || f.Err != nil
	return t, f
}

// foresee puts the call into the queue, if it would not be refused.
func (b *Budget) foresee(ctx context.Context, t *Ticket, call Call) Forecast {
	b.lock()
	defer b.unlock()
	t.at = b.settle(now())
	if err := b.never(t.lane, t.cost); err != nil {
		return Forecast{Err: err}
	}
	w := &waiter{lane: t.lane, cost: t.cost, class: call.Priority.class()}
	w.setDeadline(ctx, call, t.at)
	if err := b.refuse(w, t.at); err != nil {
		return Forecast{Err: err}
	}
	f := Forecast{}
	if b.permits.counted() && !b.holds(ctx) {
		if b.permit(t.lane) > t.at {
			f.Cause = CauseConcurrency
		}
		t.counted, t.flying = b.permits.take(t.at)
	}
	due, cause := b.expect(w, b.newcomer(w, t.at), t.at)
	b.queue(w)
	b.dispatch(t.at)
	if w.queued {
		f = Forecast{Wait: time.Duration(max(0, due-t.at)), Cause: cause}
	}
	return f
}

// strays reports whether the answer to a call may be another than if all calls
// had been held to the schedule.
func (b *Budget) strays(t *Ticket) bool {
	return t.shadow && (t.astray || b.waiting > 0)
}

// takeIn is observe for an answer to any call.
func (b *Budget) takeIn(t *Ticket, at int64, policies []Policy) effect {
	if !t.shadow {
		return b.observe(t, at, policies)
	}
	if b.strays(t) {
		policies = t.lane.scope.lasting(policies, at)
	}
	e := b.observe(t, at, policies)
	for c := range b.cells(t.lane) {
		c.share.on = false // who does not hold back does not find out what he gets
	}
	return e
}

// lasting is what of the policies does not depend on when calls were sent.
func (s *scope) lasting(policies []Policy, at int64) []Policy {
	var last []Policy
	for _, p := range policies {
		p = p.sane()
		switch k := s.knownAs(p.Name); {
		case p.countOnly():
			continue
		case p.Limit > 0 && p.Window > 0 && p.Burst >= 1:
			p.Remaining, p.Reset = -1, -1
		case k != nil && k.cell != nil && at < k.cell.end && k.policy.Limit == p.Limit && k.policy.Window == p.Window:
			k.heard, k.hearsay = at, false
			continue
		}
		last = append(last, p)
	}
	return last
}

package throttle

import (
	"slices"
	"time"

	"golang.org/x/time/rate"
)

// InfDuration is what [Reservation.Delay] returns if no wait is long enough.
const InfDuration = rate.InfDuration

// A Reservation is a slot that is bound: it does not move, whatever happens
// to the limit, and nobody passes it. It is not for use by several goroutines.
type Reservation struct {
	ok        bool
	cancelled bool
	limiter   *Limiter
	cell      *cell // that it was charged to
	cost      int
	slot      int64 // when it may act
	before    int64 // the TAT that it found
	end       int64 // and the one that it left
}

// OK reports whether the limiter can grant the reservation at all. If not,
// Delay is InfDuration and Cancel does nothing.
func (r *Reservation) OK() bool { return r.ok }

// Delay is DelayFrom now.
func (r *Reservation) Delay() time.Duration { return r.delay(now()) }

// DelayFrom returns how long from t on the holder must wait before it acts:
// zero if it may act at once, InfDuration if it never may.
func (r *Reservation) DelayFrom(t time.Time) time.Duration { return r.delay(instant(t)) }

func (r *Reservation) delay(at int64) time.Duration {
	if !r.ok {
		return InfDuration
	}
	return time.Duration(max(0, r.slot-at))
}

// Cancel is CancelAt now.
func (r *Reservation) Cancel() { r.cancel(now()) }

// CancelAt says that the holder will not act, and gives back what nobody has
// bound behind it. It does nothing once the slot is past.
func (r *Reservation) CancelAt(t time.Time) { r.cancel(instant(t)) }

func (r *Reservation) cancel(at int64) {
	if !r.ok || r.cancelled || r.slot < at {
		return
	}
	r.cancelled = true
	b := r.limiter.budget()
	b.lock()
	defer b.unlock()
	b.giveBack(r.cell, r.before, r.end, r.cost)
	b.dispatch(b.settle(now()))
}

// giveBack returns the cost of a bound call that will not go, less what was
// bound behind it: those slots do not move, and their room is not to be given
// away twice. A limit that has been replaced since has nothing to give.
func (b *Budget) giveBack(c *cell, before, end int64, n int) {
	if !slices.Contains(b.byHand, c) {
		return
	}
	tat := b.hold(c)
	if *tat == end {
		*tat = before
	} else if behind := *tat - end; behind > 0 {
		*tat -= max(0, c.cost(n)-behind)
	}
}

// bind gives everybody who waits the slot it would have if nothing changed, and
// returns the last of them. Only a Limiter has reservations, so that there is
// one limit.
func (b *Budget) bind(at int64) int64 {
	last := fresh
	if b.bound.tail != nil {
		last = b.bound.tail.slot
	}
	for b.waiting > 0 {
		w, _ := b.first(far)
		due := b.due(w.lane, w.cost, false)
		last = max(at, due, last)
		b.unqueue(w)
		b.countPassed(w, far)
		if w.err = b.never(w.lane, w.cost); w.err != nil || len(b.byHand) == 0 {
			close(w.ready)
			continue
		}
		w.cell = b.byHand[0]
		tat := b.hold(w.cell)
		w.before = *tat
		w.ticket = b.charge(w.lane, last, w.cost, w.counted, w.nested)
		w.bound, w.slot, w.end = true, last, *tat
		b.bound.push(w)
	}
	return last
}

// shiftBound moves the bound waiters behind a cool-down that ends at instant
// at, one interval apart. They did not ask for a slot of their own, and a
// server that has just refused is not to be met by all of them at once.
func (b *Budget) shiftBound(at int64) {
	if b.bound.head == nil || len(b.byHand) == 0 {
		return
	}
	c := b.byHand[0]
	for w := b.bound.head; w != nil; w = w.next {
		w.slot = max(w.slot, at)
		at = w.slot + c.cost(w.cost)
	}
	tat := b.hold(c)
	*tat = max(*tat, at-c.interval+c.window)
}

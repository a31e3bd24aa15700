package throttle

import (
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
	cost      int
	slot, end int64 // when it may act, and the TAT that it left
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
	b.giveBack(r.end, r.cost)
	b.dispatch(b.settle(now()))
}

// giveBack returns the cost of a bound call that will not go, less what was
// bound behind it: those slots do not move, and their room is not to be given
// away twice.
func (b *Budget) giveBack(end int64, n int) {
	c := b.shared[0]
	if c.endless || c.stopped {
		return
	}
	tat := b.hold(c)
	behind := max(0, *tat-end)
	*tat -= max(0, c.cost(n)-behind)
}

// bind gives everybody who waits the slot it would have if nothing changed.
// Only a Limiter has reservations, so that there is one limit.
func (b *Budget) bind(at int64) int64 {
	for b.waiting > 0 {
		w, _ := b.first(far)
		due, _ := b.due(w.lane, w.cost)
		at = max(at, due)
		b.unqueue(w)
		b.countPassed(w)
		if w.err = b.never(w.lane, w.cost); w.err != nil {
			close(w.ready)
			continue
		}
		w.ticket = b.charge(w.lane, at, w.cost)
		w.bound, w.slot, w.end = true, at, *b.hold(b.shared[0])
		b.bound.push(w)
	}
	return at
}

package throttle

import (
	"math"
	"time"
)

// covered is when a call of the lane may go as far as its leases are concerned:
// far if they have no slot for it, or the store has to be heard first.
func (b *Budget) covered(l *Lane, n int) int64 {
	r := b.remote
	due := r.at
	for c := range b.cells(l) {
		if c.lease == nil {
			continue
		}
		if !b.fits(c, c.cost(n), r.at) {
			return far
		}
		due = max(due, b.dueAt(c, c.cost(n)))
	}
	if due-r.heard > newsTime {
		return far
	}
	return due
}

// supply asks the store if it is time, and else sees to it that somebody looks
// again when it is.
func (b *Budget) supply() {
	r := b.remote
	if r.asking {
		return
	}
	at := now()
	w, when := b.nextAsk(at)
	switch {
	case when <= at:
		b.ask(w, at)
	case when == far:
		if r.timer != nil {
			r.timer.Stop()
			r.timer = nil
		}
	case r.timer == nil:
		r.timer = time.AfterFunc(time.Duration(when-at), b.wake)
	default:
		r.timer.Reset(time.Duration(when - at))
	}
}

// nextAsk is when to ask the store, and for which call; for none if there is
// only something to tell, or to give back.
func (b *Budget) nextAsk(at int64) (next *waiter, when int64) {
	r := b.remote
	when = far
	for class := range classes {
		for _, l := range b.lanes {
			if w := l.queues[class].head; w != nil {
				if t := b.askFor(l, w.cost, w.counted && !w.nested, at); t < when {
					next, when = w, t
				}
			}
		}
	}
	if r.short != nil && when > at {
		next, when = r.short, at
	}
	if b.waiting == 0 && r.short == nil && b.surplus() {
		when = max(at, max(r.used, r.heard)+idleTime)
	}
	if r.over || r.cool > at {
		when = at
	}
	return next, max(when, r.retry)
}

// An outlook is how a lane is supplied for a call.
type outlook struct {
	covered bool  // there is a slot for it in each lease
	due     int64 // when it may go, as far as that is known
	slots   int   // how many there are in each lease
	end     int64 // when the last of them is due
}

func (b *Budget) outlook(l *Lane, n int, at int64) outlook {
	o := outlook{covered: true, due: max(at, l.scope.cool.until), slots: math.MaxInt, end: far}
	for c := range b.cells(l) {
		switch {
		case c.lease == nil:
			o.due = max(o.due, c.bounded(c.earliest(b.tat(c), c.cost(n))))
			continue
		case b.fits(c, c.cost(n), at):
			o.due = max(o.due, b.dueAt(c, c.cost(n)))
		default:
			o.covered = false
		}
		if slots, last := b.slots(c, at); slots < o.slots {
			o.slots, o.end = slots, last-c.window+c.lease.margin
		}
	}
	return o
}

// askFor is when to ask for a call of the lane, which costs n. Slots that are
// needed later are asked for later, lest others wait for nothing.
func (b *Budget) askFor(l *Lane, n int, counted bool, at int64) int64 {
	if counted && b.permit(l) > at {
		return far // its end will make us look again
	}
	o := b.outlook(l, n, at)
	switch most, _ := b.ration(l); {
	case !o.covered || o.due-b.remote.heard > newsTime:
		return max(at, o.due-b.remote.lead())
	case min(l.waiting(), most) > o.slots:
		return max(at, o.end-b.remote.lead())
	}
	return far
}

// lead is how long before a slot is needed the store has to be asked.
func (r *remote) lead() int64 { return min(2*r.rtt+int64(2*time.Millisecond), longestLead) }

// waiting is what those who wait in the lane cost.
func (l *Lane) waiting() int {
	n := 0
	for _, q := range l.queues {
		n += q.cost
	}
	return n
}

// surplus reports whether there are slots that could be given back, or something
// to be told that the store cannot know.
func (b *Budget) surplus() bool {
	for c := range b.leased() {
		if c.lease.end != fresh || c.lease.lost() >= c.interval || c.lease.hasNews(b.remote.heard, c.interval) {
			return true
		}
	}
	return false
}

// lookAhead asks for a slot of the lane, for somebody who will not wait for it:
// there may be more than was known, and the next may have it.
func (b *Budget) lookAhead(l *Lane, n int) {
	if r := b.remote; r != nil && r.at >= r.look && b.covered(l, n) == far {
		r.short = &waiter{lane: l, cost: n, deadline: fresh}
	}
}

// horizon is how far ahead the slot of a call may be.
func (w *waiter) horizon(at int64) time.Duration {
	return whole(min(max(0, w.deadline-at), int64(farAhead)))
}

// wantsOf adds to a what the lane wants of its limits, for a call of n and those
// behind it, and returns the cells.
func (b *Budget) wantsOf(l *Lane, n int, at int64, a *Ask) (cells []*cell) {
	b.measure(l, at)
	most, hold := b.ration(l)
	wanted, keep := max(n, min(l.waiting(), most)), time.Duration(0)
	if hold > wanted {
		wanted, keep = hold, leaseTime
	}
	due := b.outlook(l, n, at).due
	for c := range b.cells(l) {
		if c.lease == nil {
			continue
		}
		w, inc := b.want(c, at), c.cost(n)
		if b.makeFit(c, inc, at); !b.fits(c, inc, at) {
			b.handBack(c, &w, at)
		}
		have, _ := b.slots(c, at)
		need := max(0, wanted-have)
		if need > 0 {
			w.Take, w.First = up(c.cost(need)+c.extra(inc)), whole(inc)
			// However little tolerance there is, the answer must come in time.
			_, late := c.margins(inc)
			late += max(b.remote.rtt+min(b.remote.rtt, handy), leastTrip)
			w.Ahead = up(max(int64(c.useful(keep+time.Duration(late))), late, due-at))
		}
		a.Wants, cells = append(a.Wants, w), append(cells, c)
	}
	return cells
}

func (b *Budget) measure(l *Lane, at int64) {
	for c := range b.cells(l) {
		if c.lease != nil {
			c.lease.measure(at, b.remote.rtt)
		}
	}
}

// ration is how many slots a lane may have at a time: half-way from what it uses
// in the time of a lease to its part among all parties, so that all come to have
// the same. And how many it can be expected to use while they are good.
func (b *Budget) ration(l *Lane) (most, hold int) {
	m, h := float64(leaseMost), float64(leaseMost)
	for c := range b.cells(l) {
		if c.lease == nil {
			continue
		}
		fair := 1e9 / float64(c.interval) / float64(max(1, b.remote.parties))
		m = min(m, math.Ceil((c.lease.pace+fair)/2*leaseTime.Seconds()))
		h = min(h, c.lease.uses(max(c.useful(leaseTime), time.Duration(c.lease.depth))))
	}
	return int(m), int(min(m, h))
}

// useful is for how long a slot may be kept, so that no more than two thirds of
// the tolerance is given away for it.
func (c *cell) useful(d time.Duration) time.Duration {
	return min(d, time.Duration(c.window-c.interval)*2/3)
}

// want says which limit that of the cell is, and what is known of it.
func (b *Budget) want(c *cell, at int64) Want {
	l := c.lease
	tat := *b.hold(c)
	if l.known != 0 {
		tat = max(tat, b.remote.heard+l.depth) // others have slots up to there
	}
	w := Want{
		Name: l.name, Interval: up(c.interval), Window: whole(c.window),
		New: up(max(0, tat-at)), Known: l.known, Policy: l.policy,
	}
	l.asked, w.Debt = true, whole(l.settleUp(c))
	if l.seen {
		l.seen = false
		w.Seen = &Bounds{
			Lo: whole(max(l.lo-at-b.remote.rtt, -int64(farAhead))),
			Hi: up(min(l.hi-at, int64(farAhead))),
		}
		l.hi = far
	}
	return w
}

// returns adds to a what is known of all limits, and, if nobody waits, what is left
// of the leases. It returns the cells.
func (b *Budget) returns(at int64, a *Ask) (cells []*cell) {
	for c := range b.leased() {
		w := b.want(c, at)
		if b.waiting == 0 {
			b.handBack(c, &w, at)
		}
		a.Wants, cells = append(a.Wants, w), append(cells, c)
	}
	return cells
}

// whole is the time in microseconds, rounded down, and up rounded up.
func whole(ns int64) time.Duration { return time.Duration(ns).Truncate(time.Microsecond) }
func up(ns int64) time.Duration    { return whole(ns + 999) }

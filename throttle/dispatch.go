package throttle

import (
	"slices"
	"time"
)

// settle brings the budget up to date for a step at instant at, and returns at.
func (b *Budget) settle(at int64) int64 {
	if b.unbegun > 0 {
		b.begin(at)
	}
	for _, s := range b.scopes {
		if s.cool.on() && at >= s.cool.until {
			b.endCoolDown(s)
		}
	}
	if at >= b.permits.coldEnd {
		b.permits.cold = 0
	}
	for _, s := range b.scopes {
		b.expire(s, at)
	}
	if b.remote != nil {
		b.refreshLeases(at)
	}
	return at
}

// begin gives the limits that do not start full their level at the first call.
func (b *Budget) begin(at int64) {
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			if c.unbegun {
				c.unbegun, c.isHeld = false, true
				c.value = c.tatFor(float64(c.limit.Burst-c.limit.Spent), at)
				b.held = append(b.held, c)
			}
		}
	}
	b.unbegun = 0
}

// tat is where the TAT of a cell stands once the cool-down has ended that it
// is under.
func (b *Budget) tat(c *cell) int64 {
	tat := *b.hold(c)
	until := b.closedUntil()
	if c.scope != nil {
		until = c.scope.cool.until
	}
	if until != fresh && !c.stopped && !c.endless {
		tat = max(tat, until+c.window-c.interval)
	}
	return tat
}

// earliest is when a call may go that meets these limits alone. It is fresh
// if nothing holds it.
func (b *Budget) earliest(cells []*cell, n int) int64 {
	at := fresh
	for _, c := range cells {
		due := c.earliest(b.tat(c)+c.share.guard(&c.gcra), c.cost(n))
		at = max(at, c.bounded(due), c.share.due())
	}
	return at
}

// commonEarliest is when a call may go as far as the budget and its scope are
// concerned.
func (b *Budget) commonEarliest(s *scope, n int) (int64, Cause) {
	at, cause := b.scopeEarliest(s, n)
	return max(at, b.earliest(b.byHand, n)), cause
}

// scopeEarliest is when a call may go as far as the limits and the cool-down of
// its scope are concerned.
func (b *Budget) scopeEarliest(s *scope, n int) (int64, Cause) {
	at := b.earliest(s.cells, n)
	if s.cool.on() && s.cool.until >= at {
		return s.cool.until, CauseCoolDown
	}
	return at, CauseLimit
}

// laneEarliest is when a call may go as far as its lane is concerned.
func (b *Budget) laneEarliest(l *Lane, n int, counted bool) int64 {
	at := b.earliest(l.own, n)
	if b.remote != nil {
		at = max(at, b.covered(l, n))
	}
	if counted {
		at = max(at, b.permit(l))
	}
	return at
}

// charge spends what a call of n at instant at costs. Only a counted call has
// permits, and a ticket that somebody keeps; a nested one has that of its own
// call.
func (b *Budget) charge(l *Lane, at int64, n int, counted, nested bool) Ticket {
	t := Ticket{budget: b, lane: l, cost: n, at: at}
	for c := range b.cells(l) {
		tat := b.hold(c)
		inc := c.cost(n)
		*tat = c.after(b.tat(c), c.usedFrom(at, inc), inc)
		c.share.spend(at, n)
		if at >= c.end {
			c.asked, t.asks = true, true
		}
		if c.lease != nil {
			b.use(c, n, at)
		}
	}
	if counted {
		t.ended, t.sent = l.scope.ended.Load(), l.scope.sent.Add(int64(n))
		if !nested {
			t.counted, t.flying = b.permits.take(at)
		}
	}
	return t
}

// never returns the error for a call that no wait would let go, or nil.
func (b *Budget) never(l *Lane, n int) error {
	for c := range b.cells(l) {
		if c.bad != nil {
			return c.bad
		}
		if c.never(*b.hold(c), n) {
			return &NeverError{Key: b.key, Cost: n, Limit: c.limit}
		}
	}
	return nil
}

// dispatch lets go whoever is due at instant at, and sets the timer for the
// next.
func (b *Budget) dispatch(at int64) {
	for b.bound.head != nil && b.boundAt() <= at {
		w := b.bound.head
		b.bound.remove(w)
		close(w.ready)
	}
	for {
		w, when := b.next(at)
		if w == nil {
			b.arm(min(when, b.staleAt()), at)
			return
		}
		b.unqueue(w)
		b.countPassed(w, at)
		if w.err = b.never(w.lane, w.cost); w.err == nil {
			w.ticket = b.charge(w.lane, at, w.cost, w.counted, w.nested)
			w.ticket.pressed = true
		}
		close(w.ready)
	}
}

// next is the waiter to go at instant at. If there is none, it says when to
// look again.
func (b *Budget) next(at int64) (*waiter, int64) {
	first, when := b.first(at)
	if b.bound.head != nil {
		when = min(when, b.boundAt())
	}
	if first == nil {
		return nil, when
	}
	if due := b.earliest(b.byHand, first.cost); due > at {
		return nil, min(when, due)
	}
	return first, at
}

// boundAt is when the next waiter whose slot is bound goes: then, but not
// while the server refuses.
func (b *Budget) boundAt() int64 { return max(b.bound.head.slot, b.root.cool.until) }

// first is whose turn it is among those whom neither their own lane nor their
// scope holds back, and when these let another go: a lane or a scope at its
// limit does not hold up the others.
func (b *Budget) first(at int64) (*waiter, int64) {
	later := far
	if b.waiting == 0 {
		return nil, later
	}
	for _, s := range b.scopes {
		s.claimed = false
	}
	for _, class := range b.turns() {
		w, when := b.firstIn(class, at)
		later = min(later, when)
		if w != nil {
			return w, later
		}
	}
	return nil, later
}

// firstIn is first for the calls of one class.
func (b *Budget) firstIn(class int, at int64) (*waiter, int64) {
	var first *waiter
	later := far
	for _, s := range b.scopes {
		w, when := b.firstOf(s, class, at)
		later = min(later, when)
		if w != nil && (first == nil || w.seq < first.seq) {
			first = w
		}
	}
	return first, later
}

// firstOf is first for the calls of one class and scope. Whom the limits of the
// scope hold back has them first, before those of lower classes.
func (b *Budget) firstOf(s *scope, class int, at int64) (*waiter, int64) {
	var first *waiter
	later := far
	if s.claimed {
		return nil, later
	}
	for _, l := range s.lanes {
		w := l.queues[class].head
		if w == nil || first != nil && first.seq < w.seq {
			continue
		}
		if due := b.laneEarliest(l, w.cost, w.counted && !w.nested); due > at {
			later = min(later, due)
			continue
		}
		first = w
	}
	if first == nil {
		return nil, later
	}
	if due, _ := b.scopeEarliest(s, first.cost); due > at {
		s.claimed = true
		return nil, min(later, due)
	}
	return first, later
}

// turns is the order of the classes: the highest first, but for a lower one
// that has let nine pass.
func (b *Budget) turns() [classes]int {
	order := [classes]int{0, 1, 2}
	for class := 1; class < classes; class++ {
		if b.passed[class] >= 9 {
			copy(order[1:], order[:class])
			order[0] = class
			break
		}
	}
	return order
}

// countPassed counts who goes for those of lower classes that might have gone in
// its place. Those whom their own limits hold back might not.
func (b *Budget) countPassed(went *waiter, at int64) {
	b.passed[went.class] = 0
	for class := went.class + 1; class < classes; class++ {
		if !b.waits(class) {
			b.passed[class] = 0
		} else if w, _ := b.firstIn(class, at); w != nil {
			b.passed[class]++
		}
	}
}

// waits reports whether anybody of the class does.
func (b *Budget) waits(class int) bool {
	return slices.ContainsFunc(b.lanes, func(l *Lane) bool { return l.queues[class].head != nil })
}

func (b *Budget) unqueue(w *waiter) {
	if w.bound {
		b.bound.remove(w)
		return
	}
	w.lane.queues[w.class].remove(w)
	b.waiting--
}

// arm sets the one timer of the budget. There is none while nobody waits, so
// that an idle budget holds nothing but memory.
func (b *Budget) arm(when, at int64) {
	switch {
	case b.waiting == 0 && b.bound.head == nil:
		if b.timer != nil {
			b.timer.Stop()
			b.timer = nil
		}
	case when == far:
		if b.timer != nil {
			b.timer.Stop()
		}
	case b.timer == nil:
		b.timer = time.AfterFunc(time.Duration(when-at), b.wake)
	default:
		b.timer.Reset(time.Duration(when - at))
	}
}

func (b *Budget) wake() {
	b.lock()
	defer b.unlock()
	b.dispatch(b.settle(now()))
}

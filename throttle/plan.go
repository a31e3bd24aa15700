package throttle

import "slices"

// A line is the cost of those ahead of a waiter: in the lanes that share the
// limits of its own, in its scope, and in all.
type line struct{ lane, scope, all int }

// ahead is the line that a newcomer would stand in.
func (b *Budget) ahead(w *waiter, at int64) line {
	n := w.lane.before(w)
	ahead := line{lane: n, scope: n, all: n}
	due, _ := b.expect(w, ahead, at)
	for _, l := range b.lanes {
		if l == w.lane {
			continue
		}
		n := b.released(l, w, at, due)
		ahead.all += n
		if l.scope == w.lane.scope {
			ahead.scope += n
		}
		if l.name == w.lane.name {
			ahead.lane += n
		}
	}
	return ahead
}

// before is the cost of those in the lane who would go before a newcomer.
func (l *Lane) before(w *waiter) int {
	n := l.queues[w.class].before(w)
	for class := range w.class {
		n += l.queues[class].cost
	}
	return n
}

// released is how much of the queue of another lane goes until then, by the
// limits that it does not share with the waiter: those that these hold back are
// in nobody's way.
func (b *Budget) released(l *Lane, w *waiter, at, until int64) int {
	waiting := l.before(w)
	limits := l.own
	if l.scope != w.lane.scope {
		limits = slices.Concat(limits, l.scope.cells)
	}
	for _, c := range limits {
		if waiting > 0 && !c.endless && !c.stopped {
			room := until + c.window - max(b.tat(c), at)
			waiting = min(waiting, int(max(0, room)/c.interval))
		}
	}
	return waiting
}

// expect is when a waiter will go, if nobody of a higher class comes and all
// limits let the line ahead of it go as fast as they can. The end of a call
// under way cannot be foreseen, so that a wait for a permit counts as none.
func (b *Budget) expect(w *waiter, ahead line, at int64) (int64, Cause) {
	l := w.lane
	start, cause := b.commonEarliest(l.scope, 1)
	start = max(at, start, b.earliest(l.own, 1))
	if start == at && w.counted && !w.nested && b.permit(l) > at {
		cause = CauseConcurrency
	}
	due := start
	for _, c := range b.byHand {
		due = max(due, c.finish(b.tat(c), start, ahead.all+w.cost))
	}
	for _, c := range l.scope.cells {
		due = max(due, c.finish(b.tat(c), start, ahead.scope+w.cost))
	}
	for _, c := range l.own {
		due = max(due, c.finish(b.tat(c), start, ahead.lane+w.cost))
	}
	return due, cause
}

// replan is for when the limits or the cool-down have changed: it refuses
// those who would now wait too long, and lets go those who need not wait.
func (b *Budget) replan(at int64) {
	b.refresh()
	all, scopes, lanes := 0, map[*scope]int{}, map[string]int{}
	for class := range classes {
		for _, l := range b.lanes {
			var next *waiter
			for w := l.queues[class].head; w != nil; w = next {
				next = w.next
				due, cause := b.expect(w, line{lane: lanes[l.name], scope: scopes[l.scope], all: all}, at)
				if w.tooLate(due) {
					b.unqueue(w)
					w.err = b.waitError(w, due, at, cause)
					close(w.ready)
					continue
				}
				lanes[l.name] += w.cost
				scopes[l.scope] += w.cost
				all += w.cost
			}
		}
	}
	b.dispatch(at)
}

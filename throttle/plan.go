package throttle

import (
	"iter"
	"math"
	"slices"
)

// A line is the cost of those ahead of a waiter: in the lanes that share the
// limits of its own, in its scope, and in all.
type line struct{ lane, scope, all int }

// ahead is the line that a waiter stands in, by how much there is before it in
// each lane.
func (b *Budget) ahead(w *waiter, at int64, before func(*Lane) int) line {
	n := before(w.lane)
	ahead := line{lane: n, scope: n, all: n}
	due, _ := b.expect(w, ahead, at)
	for _, l := range b.lanes {
		waiting := before(l)
		if l == w.lane || waiting == 0 {
			continue
		}
		n := b.released(l, w, waiting, at, due)
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

// newcomer is the line that somebody would stand in who comes now.
func (b *Budget) newcomer(w *waiter, at int64) line {
	return b.ahead(w, at, func(l *Lane) int { return l.before(w) })
}

// before is the cost of those in the lane who would go before a newcomer.
func (l *Lane) before(w *waiter) int {
	n := l.queues[w.class].before(w)
	for class := range w.class {
		n += l.queues[class].cost
	}
	return n
}

// released is how much of what waits in another lane goes until then, by the
// limits that it does not share with the waiter: those that these hold back are
// in nobody's way.
func (b *Budget) released(l *Lane, w *waiter, waiting int, at, until int64) int {
	for _, c := range l.own {
		waiting = min(waiting, b.room(c, at, until))
	}
	if l.scope == w.lane.scope {
		return waiting
	}
	for _, c := range l.scope.cells {
		waiting = min(waiting, b.room(c, at, until))
	}
	return waiting
}

// room is how many calls of one limit go until then.
func (b *Budget) room(c *cell, at, until int64) int {
	if c.endless || c.stopped {
		return math.MaxInt
	}
	return int(max(0, until+c.window-max(b.tat(c), at)) / c.interval)
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
	for _, l := range b.lanes {
		l.planned = 0
	}
	for w := range b.inTurn() {
		due, cause := b.expect(w, b.ahead(w, at, func(l *Lane) int { return l.planned }), at)
		if !w.tooLate(due) {
			w.lane.planned += w.cost
			continue
		}
		b.unqueue(w)
		w.err = b.waitError(w, due, at, cause)
		close(w.ready)
	}
	b.dispatch(at)
}

// inTurn are those who wait, in the order of their classes, and in these in that
// in which they came.
func (b *Budget) inTurn() iter.Seq[*waiter] {
	return func(yield func(*waiter) bool) {
		for class := range classes {
			var heads []*waiter // of the lanes
			for _, l := range b.lanes {
				if w := l.queues[class].head; w != nil {
					heads = append(heads, w)
				}
			}
			for len(heads) > 0 {
				i := firstCome(heads)
				w := heads[i]
				if heads[i] = w.next; w.next == nil {
					heads = slices.Delete(heads, i, i+1)
				}
				if !yield(w) {
					return
				}
			}
		}
	}
}

// firstCome is the index of the waiter that came first.
func firstCome(waiters []*waiter) int {
	first := 0
	for i, w := range waiters {
		if w.seq < waiters[first].seq {
			first = i
		}
	}
	return first
}

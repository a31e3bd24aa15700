package throttle

// A line is the cost of those ahead of a waiter, in its lane and in all.
type line struct{ lane, all int }

// ahead is the line that a newcomer would stand in.
func (b *Budget) ahead(w *waiter, at int64) line {
	var ahead line
	for class := range w.class {
		ahead.lane += w.lane.queues[class].cost
	}
	ahead.lane += w.lane.queues[w.class].before(w)
	ahead.all = ahead.lane
	due, _ := b.expect(w, ahead, at)
	for _, l := range b.lanes {
		if l != w.lane {
			ahead.all += b.released(l, w, at, due)
		}
	}
	return ahead
}

// released is how much of the queue of another lane goes until then, by the
// lane's own limits: those that these hold back are in nobody's way.
func (b *Budget) released(l *Lane, w *waiter, at, until int64) int {
	waiting := l.queues[w.class].before(w)
	for class := range w.class {
		waiting += l.queues[class].cost
	}
	for _, c := range l.own {
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
	start, cause := b.sharedEarliest(1)
	start = max(at, start, b.earliest(w.lane.own, 1))
	if start == at && w.counted && !w.nested && b.permit(w.lane) > at {
		cause = CauseConcurrency
	}
	due := start
	for _, c := range b.shared {
		due = max(due, c.finish(b.tat(c), start, ahead.all+w.cost))
	}
	for _, c := range w.lane.own {
		due = max(due, c.finish(b.tat(c), start, ahead.lane+w.cost))
	}
	return due, cause
}

// replan is for when the limits or the cool-down have changed: it refuses
// those who would now wait too long, and lets go those who need not wait.
func (b *Budget) replan(at int64) {
	b.refresh()
	var all int
	lanes := make(map[*Lane]int)
	for class := range classes {
		for _, l := range b.lanes {
			var next *waiter
			for w := l.queues[class].head; w != nil; w = next {
				next = w.next
				due, cause := b.expect(w, line{lane: lanes[l], all: all}, at)
				if w.tooLate(due) {
					b.unqueue(w)
					w.err = b.waitError(w, due, at, cause)
					close(w.ready)
					continue
				}
				lanes[l] += w.cost
				all += w.cost
			}
		}
	}
	b.dispatch(at)
}

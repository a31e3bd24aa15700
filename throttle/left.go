package throttle

// Left returns how much of its burst the limit had left that was nearest to its
// end, as the call found it: from 0 to 1, and 1 if there is no limit. It is 0 for
// a call that had to wait for a slot. Ask before the answer comes. Calls that go
// at the same instant may be counted as if they had gone before this one.
func (t *Ticket) Left() float64 {
	if t.cause == CauseLimit || t.cause == CauseCoolDown {
		return 0
	}
	if t.at == fresh {
		return 1 // no limit made us look at the clock
	}
	if c := t.lane.fast.Load(); c != nil {
		if tat := c.tat.Load(); tat != held {
			return c.leftOf(tat, t)
		}
	}
	b, left := t.budget, 1.0
	b.lock()
	defer b.unlock()
	for c := range b.cells(t.lane) {
		left = min(left, c.leftOf(*b.hold(c), t))
	}
	return left
}

// leftOf is the share of its burst that a limit had left before the call was
// charged to it.
func (c *cell) leftOf(tat int64, t *Ticket) float64 {
	if c.endless {
		return 1
	}
	return max(0, min(1, (c.level(tat, t.at)+float64(t.cost))/float64(c.limit.Burst)))
}

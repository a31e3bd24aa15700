package throttle

import "time"

// known is a policy as it was last heard, and the limit that was made of it.
type known struct {
	policy  Policy
	cell    *cell
	staleAt int64 // when the cell says nothing any more; far if it goes on
}

// staleAfter is how long after a reset one call may take to bring the next
// figures. Past it the old ones are dropped, so that an answer without any
// does not hold everybody back by what was true of a window long over.
const staleAfter = int64(5 * time.Second)

// observe makes limits of what an answer published.
func (b *Budget) observe(t *Ticket, policies []Policy) {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	own := b.sent.Load()
	seen := sighting{at: at, sent: t.at, own: own, unsure: max(0, own-t.ended-int64(t.cost))}
	changed := false
	for _, p := range policies {
		if plan, ok := p.plan(seen); ok {
			changed = b.follow(p, plan, seen) || changed
		}
	}
	if changed {
		b.replan(at)
	} else {
		b.dispatch(at)
	}
}

// follow makes the plan of a policy a limit of the budget. It reports whether
// the limits are others than before.
func (b *Budget) follow(p Policy, plan plan, seen sighting) bool {
	k := b.knownAs(p.Name)
	k.policy = p
	changed := k.cell == nil || k.cell.limit != plan.limit || k.cell.end != plan.end
	if changed {
		b.install(k, plan, seen)
	}
	tat := b.hold(k.cell)
	*tat = max(plan.lo, min(*tat, plan.hi))
	return changed
}

func (b *Budget) knownAs(name string) *known {
	for _, k := range b.known {
		if k.policy.Name == name {
			return k
		}
	}
	k := &known{}
	b.known = append(b.known, k)
	return k
}

// install puts a new cell into the place of the one that the policy had.
func (b *Budget) install(k *known, plan plan, seen sighting) {
	c := newCell(plan.limit, fresh)
	c.end = plan.end
	switch {
	case plan.level >= 0 && (k.cell == nil || seen.at >= k.cell.end):
		c.tat.Store(c.tatFor(plan.level, seen.at))
	case k.cell == nil:
		// All that went so far may have gone just now.
		c.tat.Store(c.tatFor(float64(plan.limit.Burst)-float64(seen.own), seen.at))
	default:
		c.tat.Store(carry(&k.cell.gcra, &c.gcra, b.tat(k.cell), seen.at))
	}
	b.swap(k, c)
}

// swap replaces the cell of k, by none if c is nil.
func (b *Budget) swap(k *known, c *cell) {
	if k.cell != nil {
		b.retire(k.cell)
	}
	k.cell, k.staleAt = c, far
	if c != nil && c.end != far {
		k.staleAt = clamp(c.end + staleAfter)
	}
	b.staleAt = far
	b.shared = b.shared[:b.byHand:b.byHand]
	for _, k := range b.known {
		b.staleAt = min(b.staleAt, k.staleAt)
		if k.cell != nil {
			b.shared = append(b.shared, k.cell)
		}
	}
}

// dropStale puts what is known for longer into the place of what was true of
// a window that is over.
func (b *Budget) dropStale(at int64) {
	if at < b.staleAt {
		return
	}
	for _, k := range b.known {
		if at < k.staleAt {
			continue
		}
		k.policy.Remaining, k.policy.Reset = -1, -1
		seen := sighting{at: at, sent: fresh}
		if plan, ok := k.policy.plan(seen); ok {
			b.install(k, plan, seen)
		} else {
			b.swap(k, nil)
		}
	}
	b.refresh()
}

package throttle

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// known is a policy as it was last heard, and the limit that was made of it.
type known struct {
	policy  Policy
	cell    *cell
	heard   int64         // when that was
	hearsay bool          // by others only: the answer that names it is still to come
	reset   time.Duration // the longest until a reset so far: its window is no shorter
	staleAt int64         // when the cell says nothing any more; far if it goes on
	flight  flight
	end     windowEnd
}

const (
	// A server that publishes other policies, but this one no longer, has
	// dropped it, or given it another name.
	forgetAfter = int64(2 * time.Minute)
	// More policies than this are an attack, or names that hold an identifier.
	maxKnown = 32
)

// staleAfter is how long after a reset one call may take to bring the next
// figures. Past it the old ones are dropped, so that an answer without any
// does not hold everybody back by what was true of a window long over.
const staleAfter = int64(5 * time.Second)

// What an answer changed for those who wait.
type effect int

const (
	noEffect effect = iota
	otherwise
	later // some may now have to wait too long
)

// observe makes limits of what an answer published.
func (b *Budget) observe(t *Ticket, at int64, policies []Policy) effect {
	if len(policies) == 0 {
		return noEffect
	}
	t.move(b.scopeOf(t, policies))
	s := t.lane.scope
	seen := b.sight(t, at)
	before := b.backlog(s, at)
	changed := false
	for _, p := range b.withWindows(policies) {
		p = p.sane()
		changed = b.hear(&p, t, seen) || changed
	}
	changed = b.forget(s, at) || changed
	switch after := b.backlog(s, at); {
	case !changed:
		return noEffect
	case after > before+before/64:
		return later
	}
	return otherwise
}

// follow does for those who wait what an answer calls for.
func (b *Budget) follow(e effect, at int64) {
	switch e {
	case later:
		b.replan(at)
		return
	case otherwise:
		b.refresh()
	}
	b.dispatch(at)
}

// backlog is how long the last of those who wait in a scope will wait for its
// limits, and for those of the budget.
func (b *Budget) backlog(s *scope, at int64) int64 {
	if b.waiting == 0 {
		return 0
	}
	n, end := 0, at
	for _, l := range s.lanes {
		for _, q := range l.queues {
			n += q.cost
		}
	}
	for _, cells := range [...][]*cell{b.byHand, s.cells} {
		for _, c := range cells {
			end = max(end, c.finish(b.tat(c), at, n))
		}
	}
	return end - at
}

// forget drops the policies of a scope that were not published for long, although
// others were, and those of which others told us, once an answer names another:
// they may be of another scope. It reports whether there were any.
func (b *Budget) forget(s *scope, at int64) bool {
	if len(s.known) < 2 {
		return false
	}
	before := len(s.known)
	named := slices.ContainsFunc(s.known, func(k *known) bool { return k.heard == at && !k.hearsay })
	s.known = slices.DeleteFunc(s.known, func(k *known) bool {
		old := at-k.heard > max(forgetAfter, 2*clamp(int64(k.policy.Window))) || named && k.hearsay
		if old && k.cell != nil {
			b.retire(k.cell)
		}
		return old
	})
	if len(s.known) == before {
		return false
	}
	b.relist(s)
	return true
}

// hear takes in one policy. It reports whether the limits are others than
// before.
func (b *Budget) hear(p *Policy, t *Ticket, seen sighting) bool {
	if c := b.byHandFor(t.lane); c != nil && p.countOnly() {
		// What is left of a limit that somebody told us.
		p.Limit, p.Window, p.Burst = float64(c.limit.Rate), time.Second, float64(c.limit.Burst)
		return b.reconcile(c, p, p.bucket(seen), t, seen)
	}
	if p.Concurrent {
		if p.Limit >= 1 {
			b.permits.told = int(min(p.Limit, 1e9))
		}
		return false
	}
	s := t.lane.scope
	k := s.knownAs(p.Name)
	if k != nil {
		seen.left = k.flight.leaves(p.Remaining, t, seen.own)
		seen.ends = k.end.narrow(p, k.policy.Remaining, t, seen)
	}
	plan, ok := p.plan(seen)
	if !ok {
		return b.overtake(s, k, seen.at)
	}
	if k == nil {
		k = b.learn(s)
		k.flight.leaves(p.Remaining, t, seen.own)
		k.end.narrow(p, -1, t, seen)
	}
	k.policy, k.heard, k.hearsay, k.reset = *p, seen.at, false, max(k.reset, p.Reset)
	changed := k.cell == nil || k.cell.limit != plan.limit || k.cell.end != plan.end
	if changed {
		b.install(s, k, plan, seen)
	}
	return b.reconcile(k.cell, p, plan, t, seen) || changed
}

// overtake ends a window that was to end by now, if the answer to the call that
// asked says nothing of the next. It reports whether there was one.
func (b *Budget) overtake(s *scope, k *known, at int64) bool {
	if k == nil || k.cell == nil || at < k.cell.end {
		return false
	}
	k.staleAt, s.staleAt = at, at
	b.expire(s, at)
	return true
}

// byHandFor is the one limit set by hand that calls of the lane meet, if there
// is one.
func (b *Budget) byHandFor(l *Lane) *cell {
	switch {
	case len(b.byHand) == 1 && len(l.own) == 0:
		return b.byHand[0]
	case len(b.byHand) == 0 && len(l.own) == 1:
		return l.own[0]
	}
	return nil
}

// reconcile brings TAT to where the server's must be, and looks for others who
// draw on the limit. It reports whether there are, all of a sudden, or not any
// more.
func (b *Budget) reconcile(c *cell, p *Policy, plan plan, t *Ticket, seen sighting) bool {
	if c.endless || c.stopped {
		return false
	}
	t.spent = t.spent || p.leavesNone(t.cost)
	if b.hears(c, p, plan) {
		return false
	}
	c.late.Store(min(b.network.jitter(), c.interval))
	tat := b.hold(c)
	proof := 0.0
	if *tat < plan.lo {
		// Others took whole calls. Where within the last of them the server
		// stands is not known: it may be up to one more, and as late as the call
		// may have come.
		proof = math.Ceil(float64(plan.lo-*tat) / float64(c.interval))
		*tat = plan.lo
		if p.Burst > 0 {
			*tat = max(plan.lo, min(plan.lo+c.interval+c.late.Load(), plan.hi))
		}
	}
	*tat = min(*tat, max(plan.hi, plan.lo))
	if plan.level >= 0 && plan.lo == fresh {
		// Perhaps more is left than we knew, because it is no window, or its end was
		// early. At the worst the next call goes one interval from here.
		*tat = min(*tat, c.tatFor(plan.least, seen.at))
	}
	if p.Remaining < 0 || p.Burst == 0 || seen.from == fresh {
		return false
	}
	return c.share.observe(&c.gcra, &b.network, account{
		seen: seen, sent: t.sent - t.lane.scope.rejected, left: p.Remaining, proof: proof, waited: t.pressed,
	})
}

// sight says when an answer was seen, and when its call may have come to the
// server, in the time of the client: as if the way there took no time but what
// was longer than the shortest.
func (b *Budget) sight(t *Ticket, at int64) sighting {
	own := t.lane.scope.sent.Load()
	s := sighting{at: at, from: fresh, to: at, own: own, cost: int64(t.cost), unsure: max(0, own-t.ended-int64(t.cost)), spread: b.spreadShare()}
	if t.at != fresh {
		s.from = t.at
		s.to = t.at + b.network.trip(at-t.at, at)
		s.trip = b.network.least + b.network.spread
	}
	return s
}

// knownAs is what is known of a policy by its name, or nil.
func (s *scope) knownAs(name string) *known {
	for _, k := range s.known {
		if k.policy.Name == name {
			return k
		}
	}
	return nil
}

// learn makes room for a policy. The one not heard of for longest goes, if there
// are too many.
func (b *Budget) learn(s *scope) *known {
	if len(s.known) >= maxKnown {
		oldest := slices.MinFunc(s.known, func(a, b *known) int { return cmp.Compare(a.heard, b.heard) })
		b.swap(s, oldest, nil)
		*oldest = known{staleAt: far}
		return oldest
	}
	b.unpace(s) // from now on the server says what it wants
	k := &known{staleAt: far}
	s.known = append(s.known, k)
	return k
}

// install puts a new cell into the place of the one that the policy had.
func (b *Budget) install(s *scope, k *known, plan plan, seen sighting) {
	c := newCell(plan.limit)
	c.end, c.most = plan.end, max(c.most, plan.most)
	c.share.random = b.random
	switch {
	case plan.level >= 0 && (k.cell == nil || seen.at >= k.cell.end):
		c.tat.Store(c.tatFor(plan.level, seen.at))
	case k.cell == nil:
		tat := c.tatFor(b.levelAtFirst(c, seen), seen.at)
		if k.policy.Burst > 0 && plan.lo != fresh {
			// Others may have called before us, up to one more than this shows, and
			// the call may have come late.
			late := min(b.network.jitter(), c.interval)
			tat = max(tat, min(plan.lo+c.interval+late, plan.hi))
		}
		c.tat.Store(tat)
	default:
		c.tat.Store(carry(&k.cell.gcra, &c.gcra, *b.hold(k.cell), seen.at))
	}
	b.swap(s, k, c)
}

// levelAtFirst is where a limit stands that was unknown until now: all that went
// so far counts, less what was minted since the first call.
func (b *Budget) levelAtFirst(c *cell, seen sighting) float64 {
	level := float64(c.limit.Burst) - float64(seen.own)
	if b.permits.coldEnd == far {
		return max(0, level) // it is not known when that was
	}
	since := seen.at - b.firstCall(seen.at) - b.network.jitter() // it may have come late
	level += float64(max(0, since)) / float64(c.interval)
	return min(level, float64(c.limit.Burst)-float64(seen.cost+seen.unsure))
}

// swap replaces the cell of k, by none if c is nil.
func (b *Budget) swap(s *scope, k *known, c *cell) {
	if k.cell != nil {
		b.retire(k.cell)
	}
	k.cell, k.staleAt = c, far
	if c != nil && c.end != far {
		k.staleAt = clamp(c.end + staleAfter)
	}
	b.relist(s)
}

// relist puts what is known into the list of limits.
func (b *Budget) relist(s *scope) {
	s.staleAt, s.cells = far, nil
	for _, k := range s.known {
		s.staleAt = min(s.staleAt, k.staleAt)
		if k.cell != nil {
			s.add(k.cell)
		}
	}
	if s.clock.cell != nil {
		s.add(s.clock.cell)
	}
}

func (s *scope) add(c *cell) {
	c.scope = s
	s.cells = append(s.cells, c)
}

// expire puts what is known for longer into the place of what was true of a
// window that is over.
func (b *Budget) expire(s *scope, at int64) {
	if s.clock.cell != nil && at-s.clock.heard > forgetPace {
		b.unpace(s)
	}
	if at < s.staleAt {
		return
	}
	for _, k := range s.known {
		if at < k.staleAt {
			continue
		}
		k.policy.Remaining, k.policy.Reset = -1, -1
		if k.policy.Window == 0 {
			k.policy.Window = k.reset // it may be longer, but hardly shorter
		}
		b.swap(s, k, nil)
		seen := sighting{at: at, from: fresh, to: at, spread: b.spreadShare()}
		if plan, ok := k.policy.plan(seen); ok {
			b.install(s, k, plan, seen) // a new window, of which nothing is used yet
		}
	}
	b.refresh()
}

package throttle

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"time"
)

// A remote is a budget's side of the [Store] that its slots come from. It is
// guarded by the budget's mutex, which nobody holds while the store is asked.
type remote struct {
	store Store
	key   string
	from  uint64

	at     int64 // when this step is
	asking bool  // a goroutine does
	heard  int64 // when the store answered last; fresh: never
	rtt    int64 // how long it takes, of late
	retry  int64 // do not ask before
	look   int64 // nor for those who do not wait

	epoch   int64
	parties int
	clocks  clocks

	cool  int64   // the end of a cool-down that the store has to be told; fresh: none
	told  int64   // the latest that it knows of
	over  bool    // tell it that there is none
	used  int64   // when a call went last
	short *waiter // a call that there was no slot for, and that does not wait

	timer *time.Timer
}

const (
	// What the store said of cool-downs holds for so long. Before a slot is used
	// that is due later, it is asked again.
	newsTime = int64(250 * time.Millisecond)
	// Slots that nobody has wanted for so long go back.
	idleTime = int64(100 * time.Millisecond)
	// After an error of the store, and after an answer with no slots, it is left
	// alone for a moment.
	storeRetry  = int64(100 * time.Millisecond)
	storePause  = int64(5 * time.Millisecond)
	longestLead = int64(100 * time.Millisecond)
	// A question takes this long at least, as long as it is not known.
	leastTrip = int64(2 * time.Millisecond)
	// A Store has to return by itself. This is for one that does not.
	storeTimeout = 5 * time.Second
	farAhead     = 365 * 24 * time.Hour
)

// SetStore takes the slots of the budget from a store from now on, where all who
// hold a budget of this key have theirs from. The limits that are set by hand are
// shared with those who set the same ones; those that the server publishes are
// shared and told to all who come later; a cool-down holds for all. Nil means no
// store. Call it before the first call.
//
// A call is let go only if the store was heard of in the last quarter of a
// second. So the first call, and one after a pause, waits for its answer, in
// the same way as for a slot. Slots are leased for a fifth of a second of the
// budget's own calls at most, and no more than 64; what is left of them goes back
// when nobody has called for a tenth of a second, if nobody else has taken any
// since.
//
// Where the server says what is left, a tenth of a second of the limit, and as much
// as the network varies, is kept in reserve there, but no more than a quarter of
// the burst: one process does not know what another is about to do.
//
// The store is asked by a goroutine that ends with its answer: there is at most
// one a budget, and, while there are calls or slots left of them, one timer more.
//
// Not shared are the limits of which only what is left until a reset is known,
// those that were guessed because nothing is published, and those of rate 0:
// they hold for this budget alone. Allow takes a slot that is at hand, and else
// fails, and asks for one. A [Reservation] is never OK.
func (b *Budget) SetStore(s Store, key string) {
	b.lock()
	defer b.unlock()
	if b.remote = nil; s != nil {
		b.remote = &remote{
			store: s, key: key, from: rand.Uint64(), at: now(),
			heard: fresh, cool: fresh, told: fresh, used: fresh, retry: fresh, look: fresh,
		}
	}
	b.refresh()
}

// refreshLeases brings the leases of the budget up to date for a step at instant at.
func (b *Budget) refreshLeases(at int64) {
	b.remote.at = at
	for c := range b.leased() {
		b.age(c, at)
	}
}

// leased are the cells of all lanes whose limits are kept in the store.
func (b *Budget) leased() iter.Seq[*cell] {
	return func(yield func(*cell) bool) {
		lent := func(cells []*cell) bool {
			for _, c := range cells {
				if c.lease != nil && !yield(c) {
					return false
				}
			}
			return true
		}
		if !lent(b.byHand) {
			return
		}
		for _, s := range b.scopes {
			if !lent(s.cells) {
				return
			}
		}
		for _, l := range b.root.lanes { // their twins have the same
			if !lent(l.own) {
				return
			}
		}
	}
}

// ask asks the store for what the call needs, if it is not nil, and for more of
// its lane, and tells what there is to tell.
func (b *Budget) ask(w *waiter, at int64) {
	r := b.remote
	a := Ask{Key: r.key, From: r.from, Epoch: r.epoch, Parties: r.parties, Horizon: farAhead}
	switch {
	case r.cool > at:
		a.CoolDown = whole(r.cool - at)
		r.told = max(r.told, r.cool)
	case r.over:
		a.CoolDown = -1
	}
	r.cool, r.over, r.short = fresh, false, nil
	var cells []*cell
	if w != nil {
		a.Horizon = w.horizon(at)
		cells = b.wantsOf(w.lane, w.cost, at, &a)
	} else {
		cells = b.returns(at, &a)
	}
	r.asking = true
	go b.fetch(a, w, cells)
}

// fetch asks the store, and gives what it has to those who wait. The slots are for
// the call, if it is not nil.
func (b *Budget) fetch(a Ask, w *waiter, cells []*cell) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	asked := now()
	ans, err := b.remote.store.Ask(ctx, a)
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	r := b.remote
	r.asking = false
	if err != nil || len(ans.Leases) != len(cells) {
		r.retry = at + storeRetry
		r.cool, r.over = max(r.cool, r.told), r.over || a.CoolDown < 0 // it may not know
		b.dispatch(at)
		return
	}
	for c := range b.leased() {
		if ans.Void {
			c.lease.drop()
			c.lease.known = 0
		}
	}
	acted := r.hear(&ans, asked, at)
	until := clamp(at + clamp(int64(ans.CoolDown)))
	if !r.over && until > max(at, b.closedUntil()+r.rtt+int64(time.Millisecond)) {
		r.told = max(r.told, until)
		b.coolDown(b.scopes, until, at)
	}
	b.adoptPolicies(ans.Policies, at)
	for i, c := range cells {
		b.receive(c, ans.Leases[i], w, acted, at)
	}
	if ans.Wait > 0 || w != nil && !b.outlook(w.lane, w.cost, at).covered {
		r.retry = at + storePause
	}
	b.replan(at)
}

// hear notes what an answer says of the store itself. It returns when the store
// acted.
func (r *remote) hear(ans *Answer, asked, at int64) int64 {
	if r.rtt == 0 {
		r.rtt = at - asked
	}
	r.rtt += (at - asked - r.rtt) / 4
	if r.epoch != ans.Epoch {
		r.clocks = clocks{}
		if r.told > at {
			r.cool, r.told = r.told, fresh // another may not know of it
		}
	}
	r.heard, r.epoch, r.parties = at, ans.Epoch, ans.Parties
	if ans.Wait > 0 {
		r.look = at + min(newsTime, max(storePause, clamp(int64(ans.Wait))))
	}
	return r.clocks.acted(ans.Now, asked, at)
}

// receive takes up a lease that was taken for the call when the store acted.
func (b *Budget) receive(c *cell, got Lease, w *waiter, acted, at int64) {
	p := piece{start: clamp(acted + int64(got.Start)), end: clamp(acted + int64(got.End)), token: got.Token}
	c.lease.depth, c.lease.unsure = p.end-at, b.remote.clocks.unsure()
	switch {
	case p.end > p.start && w != nil:
		c.lease.known = p.token
		b.gain(c, p, c.cost(w.cost), at)
	case c.lease.end == fresh:
		*b.hold(c) = p.end
	}
}

// adoptPolicies takes up what the server published to others, so that a newcomer
// need not find it out by itself.
func (b *Budget) adoptPolicies(policies []Policy, at int64) {
	s := &b.root
	for _, p := range policies {
		if p = p.sane(); s.knownAs(p.Name) != nil || len(s.known) >= maxKnown {
			continue
		}
		seen := sighting{at: at, from: fresh, to: at, spread: b.spreadShare()}
		if plan, ok := p.plan(seen); ok {
			k := b.learn(s)
			k.policy, k.heard, k.hearsay = p, at, true
			b.install(s, k, plan, seen)
		}
	}
}

// tell is for a cool-down that the store may not know of. The leases are of no
// use then: at its end there is one slot for all.
func (b *Budget) tell(until int64) {
	r := b.remote
	if r == nil {
		return
	}
	for c := range b.leased() {
		c.lease.drop()
	}
	if until > r.told {
		r.cool = until
	}
}

// withWindows adds, for what is left of a quota until a reset, the limit that no
// window holds more than the quota. What is left changes with each answer, and is
// for this budget alone; the other stays the same, and is shared.
func (b *Budget) withWindows(policies []Policy) []Policy {
	if b.remote == nil {
		return policies
	}
	all := slices.Clone(policies)
	for _, p := range policies {
		if p.Limit >= 1 && p.Window > 0 && p.Burst == 0 && p.Remaining >= 0 && p.Reset > 0 && !p.Concurrent {
			p.Name, p.Remaining, p.Reset = p.Name+" in any window", -1, -1
			all = append(all, p)
		}
	}
	return all
}

// hears takes what an answer says of a limit that is shared to the store, and
// reports whether it is one.
func (b *Budget) hears(c *cell, p *Policy, plan plan) bool {
	if b.remote == nil || !c.shareable() {
		return false
	}
	b.lend(b.remote.at)
	if c.lease == nil {
		return false
	}
	c.lease.hear(c, p, plan, b.network.jitter())
	if tat := b.hold(c); !c.lease.asked {
		// It will be where the store begins.
		if *tat < plan.lo {
			*tat = max(plan.lo, min(plan.lo+c.interval, plan.hi))
		}
		*tat = min(*tat, max(plan.hi, plan.lo))
	}
	return true
}

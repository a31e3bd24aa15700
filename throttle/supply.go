package throttle

import (
	"context"
	"math"
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

	cool  int64 // the end of a cool-down that the store has to be told; fresh: none
	told  int64 // the latest that it knows of
	over  bool  // tell it that there is none
	used  int64 // when a call went last
	short *Lane // it was asked for a slot when there was none, and nobody waits

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
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			if c.lease != nil {
				b.age(c, at)
			}
		}
	}
}

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
	l, when := b.nextAsk(at)
	switch {
	case when <= at:
		b.ask(l, at)
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

// nextAsk is when to ask the store, and for which lane; for none if there is
// only something to tell, or to give back.
func (b *Budget) nextAsk(at int64) (lane *Lane, when int64) {
	r := b.remote
	when = far
	for class := range classes {
		for _, l := range b.lanes {
			if w := l.queues[class].head; w != nil {
				if t := b.askFor(l, w.cost, w.counted && !w.nested, at); t < when {
					lane, when = l, t
				}
			}
		}
	}
	if r.short != nil && when > at {
		lane, when = r.short, at
	}
	if b.waiting == 0 && r.short == nil && b.surplus() {
		when = max(at, r.used+idleTime)
	}
	when = max(when, r.retry)
	if r.over || r.cool > at {
		when = at
	}
	return lane, when
}

// An outlook is how a lane is supplied for its first call.
type outlook struct {
	covered bool  // there is a slot for it in each lease
	due     int64 // when it may go, as far as that is known
	slots   int   // how many there are in each lease
	end     int64 // when the last of them is due
}

func (b *Budget) outlook(l *Lane, n int, at int64) outlook {
	o := outlook{covered: true, due: max(at, b.cool.until), slots: math.MaxInt, end: far}
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

// askFor is when to ask for the lane, whose first call costs n. Slots that are
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
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			if c.lease != nil && (c.lease.end != fresh || c.lease.hasNews(b.remote.heard, c.interval)) {
				return true
			}
		}
	}
	return false
}

// lookAhead asks for a slot of the lane, for somebody who will not wait for it:
// there may be more than was known, and the next may have it.
func (b *Budget) lookAhead(l *Lane, n int) {
	if r := b.remote; r != nil && r.at >= r.look && b.covered(l, n) == far {
		r.short = l
	}
}

// ask asks the store for slots of the lane, if it is not nil, and tells what
// there is to tell.
func (b *Budget) ask(l *Lane, at int64) {
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
	n := 0
	if l != nil {
		n = l.headCost()
		a.Horizon = l.horizon(at)
		cells = b.wantsOf(l, n, at, &a)
	} else {
		cells = b.returns(at, &a)
	}
	r.asking = true
	go b.fetch(a, cells, n)
}

// head is the call of the lane that goes first, or nil.
func (l *Lane) head() *waiter {
	for _, q := range l.queues {
		if q.head != nil {
			return q.head
		}
	}
	return nil
}

func (l *Lane) headCost() int {
	if w := l.head(); w != nil {
		return w.cost
	}
	return 1
}

func (l *Lane) horizon(at int64) time.Duration {
	if w := l.head(); w != nil {
		return whole(min(max(0, w.deadline-at), int64(farAhead)))
	}
	return 0 // only what is there at once
}

// wantsOf adds to a what the lane wants of its limits, and returns the cells.
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
		w := b.want(c, at)
		have, _ := b.slots(c, at)
		need := max(0, wanted-have)
		if !b.fits(c, c.cost(n), at) {
			need = max(need, n)
		}
		if need > 0 {
			w.Take, w.First = up(c.cost(need)), whole(c.cost(n))
			late := time.Duration(c.lease.margin + b.remote.rtt + c.lease.slack)
			w.Ahead = up(max(int64(c.useful(keep+late)), due-at))
		}
		a.Wants, cells = append(a.Wants, w), append(cells, c)
	}
	return cells
}

func (b *Budget) measure(l *Lane, at int64) {
	for c := range b.cells(l) {
		if c.lease != nil {
			c.lease.measure(at)
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

// returns adds to a what nobody needs of the leases, and returns the cells.
func (b *Budget) returns(at int64, a *Ask) (cells []*cell) {
	done := make(map[*cell]bool)
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			if c.lease == nil || done[c] {
				continue
			}
			done[c] = true
			w := b.want(c, at)
			if rest, token := b.surrender(c, at); b.waiting == 0 && rest > int64(time.Microsecond) {
				w.Back, w.BackTo = whole(rest), token
				c.lease.known = token - w.Back.Microseconds()
				w.Known = c.lease.known
			}
			a.Wants, cells = append(a.Wants, w), append(cells, c)
		}
	}
	return cells
}

// whole is the time in microseconds, rounded down, and up rounded up.
func whole(ns int64) time.Duration { return time.Duration(ns).Truncate(time.Microsecond) }
func up(ns int64) time.Duration    { return whole(ns + 999) }

// fetch asks the store, and gives what it has to those who wait.
func (b *Budget) fetch(a Ask, cells []*cell, n int) {
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
	if ans.Void {
		b.dropLeases()
	}
	r.hear(&ans, asked, at)
	until := clamp(at + clamp(int64(ans.CoolDown)))
	if !r.over && until > max(at, b.cool.until+r.rtt+int64(time.Millisecond)) {
		r.told = max(r.told, until)
		b.coolDown(until, at)
	}
	b.adoptPolicies(ans.Policies, at)
	for i, c := range cells {
		b.receive(c, ans.Leases[i], n, at)
	}
	b.replan(at)
}

// hear notes what an answer says of the store itself.
func (r *remote) hear(ans *Answer, asked, at int64) {
	if r.rtt == 0 {
		r.rtt = at - asked
	}
	r.rtt += (at - asked - r.rtt) / 4
	if r.epoch != ans.Epoch && r.told > at {
		r.cool, r.told = r.told, fresh // another may not know of it
	}
	r.heard, r.epoch, r.parties = at, ans.Epoch, ans.Parties
	if ans.Wait > 0 {
		r.retry = at + storePause
		r.look = at + min(newsTime, max(storePause, clamp(int64(ans.Wait))))
	}
}

// receive takes up a lease.
func (b *Budget) receive(c *cell, got Lease, n int, at int64) {
	p := piece{start: clamp(at + int64(got.Start)), end: clamp(at + int64(got.End)), token: got.Token}
	c.lease.depth = p.end - at
	switch {
	case p.end > p.start:
		c.lease.known = p.token
		b.gain(c, p, c.cost(n), at)
	case c.lease.end == fresh:
		*b.hold(c) = p.end
	}
}

// adoptPolicies takes up what the server published to others, so that a newcomer
// need not find it out by itself.
func (b *Budget) adoptPolicies(policies []Policy, at int64) {
	for _, p := range policies {
		if p = p.sane(); b.knownAs(p.Name) != nil || len(b.known) >= maxKnown {
			continue
		}
		seen := sighting{at: at, from: fresh, to: at, spread: b.spreadShare()}
		if plan, ok := p.plan(seen); ok {
			k := b.learn()
			k.policy, k.heard = p, at
			b.install(k, plan, seen)
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
	b.dropLeases()
	if until > r.told {
		r.cool = until
	}
}

func (b *Budget) dropLeases() {
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			if c.lease != nil {
				c.lease.drop()
			}
		}
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

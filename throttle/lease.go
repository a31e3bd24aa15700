package throttle

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A lease is what a cell has of a limit that is kept in a [Store]: pieces of its
// TAT. The TAT of the cell walks along the first of them, and may not go
// beyond its end. Where there is none, it stands where that of the store did
// when it was heard of last, so that it can be told how long a wait will be,
// at least.
//
// A slot at TAT p is used from p − τ on, and not after p: so the calls of all
// who have leases conform, in whatever order they come. (All that come from
// instant a to instant b have their slots in [a, b+τ], where there is room for
// (b−a+τ)/T + 1.)
type lease struct {
	name   string
	policy *Policy // of which the limit was made; nil if it was set by hand
	end    int64   // of the piece on which TAT stands; fresh if there is none
	token  int64   // of that end
	next   []piece
	lapsed piece // that was given up last, and has not gone back

	known int64 // token of the end of the last piece that was taken
	depth int64 // how far ahead TAT was at the last answer of the store
	slack int64 // how late a slot may be used after all

	// What answers of the server said, to be passed on.
	asked  bool // the store knows of the limit
	seen   bool
	lo, hi int64
	margin int64   // how much later than others a call may come to the server
	unsure int64   // how much earlier than we think a slot may be, by the store's clock
	least  float64 // calls that were left at the server at the least of these
	heard  int     // answers

	spent int64 // calls charged since
	stale int64 // slots that could not be used since
	since int64
	pace  float64 // calls a second, of late
	more  float64 // slots that may be used though pace does not say so: all were, of late
}

type piece struct {
	start, end int64
	token      int64
}

// after is the token of the piece that this one goes on from.
func (p *piece) after() int64 { return p.token - (p.end-p.start)/int64(time.Microsecond) }

const (
	// What is in flight to the store is forgotten by nobody: limits whose TAT may
	// lie further ahead than this are not shared.
	longestShared = int64(1) << 57
	// A lease is for so long at most.
	leaseTime = 200 * time.Millisecond
	// And for so many calls.
	leaseMost = 64
	// A call finds a slot that is of use for so long, if that can be had.
	handy = int64(25 * time.Millisecond)
	// A timer may be so late on a machine that has little to do.
	tick = int64(2 * time.Millisecond)
	// Beside the margin, so much is kept at the server, as time.
	reserveTime = int64(100 * time.Millisecond)
	// So many answers tell how much is left at the server all the time.
	enough = 8
	// The rate of our own calls is a mean over about so long.
	paceTime = 500 * time.Millisecond
)

// shareable reports whether the limit of a cell can be kept in a store. One that
// ends with a window is local: every answer makes another of it.
func (c *cell) shareable() bool {
	return !c.endless && !c.stopped && c.end == far && c.window < longestShared
}

// lend makes leases for the cells that have none yet.
func (b *Budget) lend(at int64) {
	for _, l := range b.root.lanes {
		for i, c := range b.byHandOf(l) {
			if c.lease == nil && c.shareable() {
				c.lease = newLease(c, "hand "+strconv.Itoa(i)+" "+l.name, nil, at)
				if tat := *b.hold(c); tat > at {
					// Of the limit that it replaces. The store may have more left of this one.
					c.lease.seen, c.lease.lo = true, tat
				}
			}
		}
	}
	for _, s := range b.scopes {
		for _, k := range s.known {
			if k.cell == nil || k.cell.lease != nil || !k.cell.shareable() {
				continue
			}
			var tell *Policy
			if len(b.scopes) == 1 {
				tell = k.policy.toTell() // others would not know which calls another scope is of
			}
			k.cell.lease = newLease(k.cell, "published "+k.policy.Name, tell, at)
		}
	}
}

// toTell is the policy as others may hear of it; nil if it is of no use to them. A
// name with a NUL has what the server tells its clients apart by.
func (p Policy) toTell() *Policy {
	if strings.Contains(p.Name, "\x00") {
		return nil
	}
	p.Remaining, p.Reset = -1, -1
	return &p
}

func newLease(c *cell, name string, p *Policy, at int64) *lease {
	l := &lease{name: name, policy: p, end: fresh, hi: far, lo: fresh, since: at}
	if c.window == c.interval {
		// Without any tolerance a slot is one instant, which no clock can meet.
		l.slack = max(int64(250*time.Microsecond), min(c.interval/8, handy))
	}
	return l
}

// margins are what is kept back of the time in which a slot may be used by a call
// that adds inc, at its beginning and at its end, so that calls conform which the
// network, or a processor that has too much to do, bunches up, and though it is not
// quite known how the clock of the store stands.
func (c *cell) margins(inc int64) (early, late int64) {
	l := c.lease
	room := c.window - inc + c.spare(inc)
	early = min(l.margin, room/4)
	return early, min(l.margin+l.unsure, room/2) - l.slack
}

// spare is how much more is taken for a dear call, one that adds inc, so that it has
// more than an instant to go in. What it does not use is for the calls behind it.
func (c *cell) spare(inc int64) int64 {
	if inc == c.interval {
		return 0
	}
	return max(0, handy-(c.window-inc))
}

// extra is how much more is taken for a call that adds inc, and those behind it: its
// spare, or what keeps a timer from missing it where even the tolerance is shorter.
func (c *cell) extra(inc int64) int64 {
	return max(c.spare(inc), tick-(c.window-inc)-c.lease.slack)
}

// usedFrom is where TAT is at least for a call at instant at that adds inc.
func (c *cell) usedFrom(at, inc int64) int64 {
	if c.lease == nil {
		return at + c.late.Load()
	}
	_, late := c.margins(inc)
	return at + late
}

// age takes away the pieces of a lease that can no longer be used, and brings
// TAT to the first that can.
func (b *Budget) age(c *cell, at int64) {
	l := c.lease
	for l.end != fresh && max(*b.hold(c), c.usedFrom(at, c.interval))+c.interval > l.end {
		l.lapsed = piece{start: *b.hold(c), end: l.end, token: l.token}
		l.stale += max(0, l.lost()) / c.interval
		b.advance(c)
	}
}

// lost is how much of its TAT a lease has lost by being late.
func (l *lease) lost() int64 { return l.lapsed.end - l.lapsed.start }

// advance goes on to the next piece.
func (b *Budget) advance(c *cell) {
	l := c.lease
	if len(l.next) == 0 {
		l.end, l.token = fresh, 0
		return
	}
	p := l.next[0]
	l.next = l.next[1:]
	*b.hold(c) = max(*b.hold(c), p.start)
	l.end, l.token = p.end, p.token
}

// gain adds a piece. A first call that adds inc, for which it was taken, must not
// be kept from it by a rest that is too small.
func (b *Budget) gain(c *cell, p piece, inc, at int64) {
	l := c.lease
	n := len(l.next)
	switch {
	case l.end == fresh:
		*b.hold(c), l.end, l.token = p.start, p.end, p.token
	case n > 0 && l.next[n-1].token == p.after():
		l.next[n-1].end += p.end - p.start
		l.next[n-1].token = p.token
	case n == 0 && l.token == p.after():
		l.end, l.token = l.end+p.end-p.start, p.token
	default:
		l.next = append(l.next, p)
	}
	b.makeFit(c, inc, at)
}

// makeFit goes on to a piece with room for a call that adds inc, if there is one.
// Else it goes on to the last.
func (b *Budget) makeFit(c *cell, inc, at int64) {
	for len(c.lease.next) > 0 && !b.fits(c, inc, at) {
		b.advance(c)
	}
}

// drop forgets all pieces, as when a cool-down makes them worthless.
func (l *lease) drop() { l.end, l.token, l.next, l.lapsed = fresh, 0, nil, piece{} }

// dropLeases is drop for all limits of a scope.
func (s *scope) dropLeases() {
	for _, c := range s.cells {
		if c.lease != nil {
			c.lease.drop()
		}
	}
}

// fits reports whether there is room on the piece where TAT stands for a call
// that adds inc.
func (b *Budget) fits(c *cell, inc, at int64) bool {
	return c.lease.end != fresh && max(*b.hold(c), c.usedFrom(at, inc))+inc <= c.lease.end
}

// slots is how many calls there is room for, and where the last of them is.
func (b *Budget) slots(c *cell, at int64) (n int, last int64) {
	l := c.lease
	if l.end == fresh {
		return 0, fresh
	}
	tat := max(*b.hold(c), c.usedFrom(at, c.interval))
	n, last = int((l.end-tat)/c.interval), l.end
	for _, p := range l.next {
		n += int((p.end - p.start) / c.interval)
		last = p.end
	}
	return n, last
}

// dueAt is when a call that adds inc may go, by the lease and what the server
// said: one that had its last answer knows that it would refuse the call before.
func (b *Budget) dueAt(c *cell, inc int64) int64 {
	early, _ := c.margins(inc)
	return c.earliest(max(b.tat(c), c.lease.lo), inc) + early
}

// use notes a call of n that was charged to the cell.
func (b *Budget) use(c *cell, n int, at int64) {
	c.lease.spent += int64(n)
	b.remote.used = at
	b.age(c, at)
}

// measure brings the rate of our own calls up to date. An answer of the store takes
// trip, in which none may have gone.
func (l *lease) measure(at, trip int64) {
	dt := float64(at-l.since) / 1e9
	if dt <= 0 {
		return
	}
	w := 1 - math.Exp(-dt/paceTime.Seconds())
	l.pace += w * (float64(l.spent)/dt - l.pace)
	switch {
	case l.stale > 0:
		l.more = 0
	case dt < leaseTime.Seconds()/2+2*float64(trip)/1e9:
		l.more = float64(2 * l.spent) // as far as we know they wait for us, and for nothing else
	default:
		l.more = float64(l.spent) * 5 / 4
	}
	l.spent, l.stale, l.since = 0, 0, at
}

// uses is how many slots can be expected to be used that are good for so long.
func (l *lease) uses(good time.Duration) float64 {
	return max(l.more, l.pace*min(leaseTime, good).Seconds())
}

// hear notes what an answer says of the TAT of the server, for the store.
func (l *lease) hear(c *cell, p *Policy, plan plan, jitter int64) {
	l.seen, l.lo, l.hi = true, max(l.lo, plan.lo), min(l.hi, plan.hi)
	l.margin = min(jitter, (c.window-c.interval)/4)
	if p.Remaining >= 0 && p.Burst > 0 {
		if l.heard == 0 || p.Remaining < l.least {
			l.least = p.Remaining
		}
		l.heard++
	}
}

// settleUp is by how much less is left at the server than the reserve, if it is
// clearly less at times; and half of what is more, negative, if it is clearly more
// all the time. It is asked once for what was heard.
//
// The reserve is for accidents: calls that a processor with too much to do has
// held up, and sends all at once.
func (l *lease) settleUp(c *cell) int64 {
	n, keep := l.heard, min((c.window-c.interval)/4, l.margin+reserveTime)
	l.heard = 0
	// There may be almost a call more than the server says.
	least, most := scale(c.interval, l.least), scale(c.interval, l.least+1)
	switch {
	case n > 0 && most < keep-keep/4:
		return keep - most
	case n >= enough && least > keep+keep/4:
		return (keep - least) / 2
	}
	return 0
}

// hasNews reports whether an answer of the server said what the store, which was
// heard of last at the given instant, cannot know.
func (l *lease) hasNews(heard, interval int64) bool {
	return l.seen && (!l.asked || l.lo > heard+l.depth+interval)
}

// surrender takes away what is left of the last piece, or of one that lapsed, if
// there is none. It returns how much that is, and the token of its end.
func (b *Budget) surrender(c *cell, at int64) (rest, token int64) {
	l := c.lease
	switch n := len(l.next); {
	case n > 0:
		p := l.next[n-1]
		l.next = l.next[:n-1]
		return p.end - p.start, p.token
	case l.end != fresh:
		rest, token = l.end-max(*b.hold(c), at), l.token
		l.end, l.token = fresh, 0
	default:
		rest, token = l.lost(), l.lapsed.token
	}
	l.lapsed = piece{}
	return rest, token
}

// handBack puts what is surrendered into what is said of the cell's limit.
func (b *Budget) handBack(c *cell, w *Want, at int64) {
	rest, token := b.surrender(c, at)
	if w.Back = whole(max(0, rest)); w.Back > 0 {
		w.BackTo = token
		c.lease.known = token - w.Back.Microseconds()
		w.Known = c.lease.known
	}
}

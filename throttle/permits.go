package throttle

import "time"

// Permits count the calls under way, where somebody asked for a cap, or where
// too little is known to let all go that want to. Only calls that come with a
// ticket are counted: nobody tells when the others end.
type permits struct {
	max   int // at most so many until they are done; 0: no cap
	told  int // the cap that the server published; 0: none
	inUse int

	flying  int   // calls that were not answered, where they are counted
	slow    int   // at most so many of them after a refusal; 0: any number
	cold    int   // at most so many of them at the start; 0: any number
	warmed  int   // how many went then
	coldEnd int64 // when the start is over; far until the first call
}

// coldCalls is how many calls may be under way before anything was heard of a
// server: enough for a page that opens with nine calls at once, and few enough
// that a server with a small burst does not refuse a crowd.
const coldCalls = 9

// coldFew is how many may be once coldOpen went, and the server still publishes
// nothing. Of the calls under way when a bucket runs dry all are refused, and 60 a
// minute are common. Who makes fewer does not wait for this.
const (
	coldFew  = 2
	coldOpen = 48
)

// coldEnough is how many calls go before the server is taken to be one of those
// that need no care: more than the 60 a minute that are common. From then on, or
// in the last coldRamp of the start, each that it lets through makes room for
// one more.
const coldEnough = 64

// coldTime is how long the start lasts: nobody is to wait for a slow server. Before
// the coldRamp one that answers in 100 ms is asked those 64 times.
const (
	coldTime = int64(2500 * time.Millisecond)
	coldRamp = int64(time.Second)
)

// most is the stricter cap, 0 if there is none.
func (p *permits) most() int {
	if p.max == 0 || p.told > 0 && p.told < p.max {
		return p.told
	}
	return p.max
}

func (p *permits) counted() bool { return p.most() > 0 || p.slow > 0 || p.cold > 0 }

// permit is when a call of the lane may have a permit: fresh if at once, far if
// only the end of another call can tell.
func (b *Budget) permit(l *Lane) int64 {
	p := &b.permits
	switch {
	case p.most() > 0 && p.inUse >= p.most():
		return far
	case p.slow > 0 && p.flying >= p.slow && b.unsure(l):
		return far
	case p.cold > 0 && p.flying >= p.cold && l.fast.Load() == unlimited:
		return p.coldEnd
	}
	return fresh
}

// unsure reports whether no limit says for certain how far apart the calls of
// the lane may be: there is none, or it was guessed, or others have a share.
func (b *Budget) unsure(l *Lane) bool {
	if l.fast.Load() == unlimited || l.scope.clock.cell != nil && !l.scope.clock.sure {
		return true
	}
	for c := range b.cells(l) {
		if c.share.on {
			return true
		}
	}
	return false
}

// take gives a call at instant at the permits that are counted: one until it is
// done, one until it is answered.
func (p *permits) take(at int64) (untilDone, untilAnswered bool) {
	if p.cold > 0 {
		p.warm(at)
	}
	if untilDone = p.most() > 0; untilDone {
		p.inUse++
	}
	if untilAnswered = p.slow > 0 || p.cold > 0; untilAnswered {
		p.flying++
	}
	return untilDone, untilAnswered
}

// few reports whether the calls of the start are few yet.
func (p *permits) few() bool { return p.cold > 0 && p.cold <= coldCalls }

// firstCall is when the first call went, or at if that is not known.
func (b *Budget) firstCall(at int64) int64 {
	if b.permits.coldEnd == far {
		return at
	}
	return b.permits.coldEnd - coldTime
}

// grow lets one more call be under way after a success.
func (p *permits) grow(at int64) {
	p.slow = oneMore(p.slow)
	if p.warmed >= coldEnough || at >= p.coldEnd-coldRamp {
		p.cold = oneMore(p.cold)
	}
}

// oneMore raises a cap, until it is one no more.
func oneMore(most int) int {
	if most == 0 || most >= 4*coldCalls {
		return 0
	}
	return most + 1
}

// warm counts a call of the start.
func (p *permits) warm(at int64) {
	if p.coldEnd == far {
		p.coldEnd = clamp(at + coldTime)
	}
	if p.warmed++; p.warmed == coldOpen {
		p.cold = coldFew
	}
}

// SetMaxConcurrent caps the calls that are under way at once: those let go by
// [Budget.Acquire] whose ticket is not done. A call leaves when its slot is due
// and a permit is free, so that no permit is held asleep and no slot grows
// stale. Zero or less means no cap.
func (b *Budget) SetMaxConcurrent(n int) {
	b.lock()
	defer b.unlock()
	b.permits.max = max(0, n)
	b.dispatch(b.settle(now()))
}

// Probe makes the start of [Budget.Acquire] careful, so that few calls are refused
// if a hidden bucket runs dry: nine may be under way at first, and two once 48 went.
// When 64 went, or a second and a half is over, it is one more for each that is let
// through. Two and a half seconds after the first call there is no cap any more. A
// limit that the server publishes ends that at once, and lanes with a limit set
// by hand go by that, and a refusal leaves it to the cool-down. It is for budgets
// whose server nobody knows beforehand. Call it before the first call.
func (b *Budget) Probe() {
	b.lock()
	defer b.unlock()
	b.permits.cold, b.permits.coldEnd = coldCalls, far
}

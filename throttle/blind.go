package throttle

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// A tokenClock measures the limit of a server that publishes none. When it
// refuses, the bucket behind it holds less than one call. So from one refusal to
// the next as many calls were minted as were let through, to within one, as long
// as the bucket did not run over in between: their number over the time is the
// rate. It is paced a little above that, so that the next refusal comes, and
// seldom: each is one more reading of the clock.
//
// Windows that slide, or are fixed, show the same rate over a whole cycle.
type tokenClock struct {
	rate  float64 // calls a second; 0: nothing was refused yet
	gain  float64 // how much above it we go
	burst float64 // how many calls went back to back at first

	mark     int64   // the instant that we count from
	admitted int64   // how many calls had been let through by then
	pauses   int     // since then, in each of which the bucket may have filled up
	paused   int64   // how long they were
	sent     int64   // what had been sent when the call went that was refused last
	marked   bool    // that is the mark
	vague    int     // refusals in a row that made no reading
	sure     bool    // there was one that did
	roomy    bool    // there was none, and the bucket will not run over while we wait
	closed   int64   // for how long nothing has been let through
	full     bool    // it was full at the mark, and not empty
	window   float64 // seconds of a window, if it seems to be one

	raised int64   // what had been let through when the rate was last changed
	since  int64   // when that was
	heard  int64   // when the pace last mattered
	banked float64 // what gathered in the last pause
	cell   *cell
}

const (
	clockGain       = 0.03      // of a rate that is not yet known well
	clockLeast      = 1.0 / 500 // of one that is
	clockMost       = 0.25      // of one that seems to have risen
	clockBank       = 3.0       // calls to let gather after a refusal
	clockSearch     = 16.0      // and while only a bound of the rate is known
	clockPatience   = 10.0      // seconds that this may take
	clockAlone      = 4         // calls let through then before two are under way
	clockLeastSeen  = 3         // calls let through, without which there is nothing to read
	clockVague      = 3         // refusals without a reading: it is no limit of a rate
	clockSlowest    = 1.0 / 60  // calls a second, whatever a server does
	clockFirst      = 0.05      // seconds that the first calls take at least
	clockSteady     = 8.0       // calls between refusals that make a reading
	clockBlock      = 2.0       // seconds of a refusal that make a window
	clockBlockCalls = 20.0      // if so many calls would have gone in them
	clockLossPer    = 200.0     // calls between refusals, for each that a pause loses
)

// A refusal is the first of a flight: of a call that went at instant at. So
// many had been let through when it came, and the server is left alone until
// until.
type refusal struct {
	at, until, admitted int64
	byHand              bool // the calls have a limit that was set by hand
	few                 bool // calls were under way until then, not a crowd
}

// refused takes in a refusal, and returns how much longer to wait.
func (c *tokenClock) refused(start int64, r refusal) int64 {
	closed := c.rate > 0 && r.admitted-c.raised < 1 // nothing was minted since the last
	c.marked = true
	switch {
	case c.rate == 0:
		c.begin(start, r)
	case closed:
		// Perhaps a window, in which nothing is minted before it ends.
		c.marked, c.closed = false, r.at-c.mark
	case c.read(r):
		c.restart(r.at, r.admitted)
	default:
		c.marked = false
	}
	c.rate = max(c.rate, clockSlowest)
	extra := c.rest(start, r)
	c.pause(r.until + extra - r.at)
	if closed || c.window > 0 && c.block(r) {
		c.banked = clockBank // nothing gathers while a window is closed
	}
	c.raised, c.since = r.admitted, r.until
	return extra
}

// rest is how much longer to wait than the server asks for, so that something
// gathers in the bucket.
func (c *tokenClock) rest(start int64, r refusal) int64 {
	gather := 0.0
	switch {
	case c.roomy && r.few && c.window == 0:
		return r.at - start // it cannot fill in the time that it took to use it up
	case c.vague == 0:
		gather = min(clockBank, c.burst-1)
	case c.roomy:
		// The rate is a bound. If it is not far off, the next refusal makes a reading.
		gather = min(clockSearch, c.burst/4, clockPatience*c.rate)
	}
	return int64(gather * 1e9 / c.rate)
}

// begin is for the very first: what went until then went from a full bucket.
func (c *tokenClock) begin(start int64, r refusal) {
	c.burst = max(1, float64(r.admitted))
	c.roomy = r.few && c.burst >= clockSteady && r.at-start <= coldTime
	c.rate = c.burst / max(float64(r.at-start)/1e9, clockFirst)
	// A limit set by hand is a better guess than what one flight shows.
	if !r.byHand && c.block(r) {
		c.window = float64(r.until-start) / 1e9
		c.rate, c.gain = c.burst/c.window, clockGain
		c.restart(r.until, r.admitted)
		return
	}
	c.restart(r.at, r.admitted)
	if c.gain = clockGain; r.at-start > int64(time.Second)/2 {
		c.gain = clockMost // at the start we may have asked for less than there was
	}
}

// block reports whether the server will let nothing through for so long that a
// bucket would fill by much: so it is a window, which is used up. Then the time
// until it ends belongs to what went before.
func (c *tokenClock) block(r refusal) bool {
	pause := float64(r.until-r.at) / 1e9
	return pause > clockBlock && c.rate*pause > clockBlockCalls
}

func (c *tokenClock) restart(at, admitted int64) {
	c.mark, c.admitted = at, admitted
	c.pauses, c.paused, c.closed, c.full = 0, 0, 0, false
}

// read is for any other. It reports whether enough calls went for a reading.
//
// Of the two ways to count, the larger is right: if the bucket did not run over
// in a pause, the second takes too much off for it, and if it did, the first
// counts time in which nothing more was minted.
func (c *tokenClock) read(r refusal) bool {
	n, span := max(0, float64(r.admitted-c.admitted)), float64(r.at-c.mark)/1e9
	if span < c.window || c.window > 0 && c.block(r) {
		// Part of a window says nothing of the whole, and the next whole one may
		// be as it was.
		c.gain = max(clockLeast, c.gain/2)
		return false
	}
	spent, going := n-float64(c.pauses)*max(c.burst, clockBank+1), span-float64(c.paused)/1e9
	if going <= 0 {
		return false
	}
	if c.full {
		// It may have been less than full when we began to ask for more.
		c.settle(max((spent-1)/going, min(c.rate, (n+1)/span)), c.gain/4)
		return true
	}
	reading, steady := (spent+0.5)/going, spent >= clockSteady
	if whole := (n + 0.5) / span; whole >= reading {
		reading, steady = whole, n >= clockSteady
	}
	if !steady {
		c.vague++
		c.rate = min(c.rate, max((n+1)/span, (spent+1)/going))
		c.gain = clockGain
		return false
	}
	if 4*float64(c.closed)/1e9 > span {
		c.window = max(c.window, span) // one that says nothing of when it ends
	}
	c.settle(reading, min(c.gain, 2*clockGain)/2)
	return true
}

// settle takes a reading for the rate, and the gain to go on with if that is no
// surprise.
func (c *tokenClock) settle(reading, gain float64) {
	bound := c.vague > 0 && c.roomy // was all that we knew
	if !bound && math.Abs(reading-c.rate) > 0.1*c.rate {
		gain = clockGain
	}
	c.rate, c.gain, c.vague, c.sure, c.roomy = reading, gain, 0, true, false
}

// pause reckons with a time in which nothing goes: what gathers in it, and what
// runs over.
func (c *tokenClock) pause(length int64) {
	c.pauses++
	c.paused += length
	minted := c.rate * float64(length) / 1e9
	c.banked = min(minted, max(c.burst, clockBank))
	least := clockLeast
	if lost := minted - c.burst; lost > 0 {
		least = min(least, c.banked/(clockLossPer*lost))
	}
	c.gain = max(c.gain, least)
}

// early reports whether a refusal would still make no reading of a rate that is
// looked for: then two calls under way would be two refusals for nothing.
func (c *tokenClock) early(admitted int64) bool {
	return c.roomy && admitted-c.raised < clockAlone
}

// late takes in a call that was let through, and went before the call that was
// refused last, but was answered after it.
func (c *tokenClock) late(sent, cost int64) {
	if sent >= c.sent {
		return
	}
	c.raised += cost
	if c.marked {
		c.admitted += cost
	}
}

// succeeded takes in a call that was let through at instant at, and had had to
// wait. It reports whether the rate is another: what was banked should have been
// used up long ago, so that there is more to have, and the bucket is full.
func (c *tokenClock) succeeded(at, admitted int64) bool {
	if float64(admitted-c.raised) < 1.5*c.banked/c.gain || float64(at-c.since) < max(1e9, 1.2e9*c.window, float64(c.closed)) {
		return false
	}
	c.rate *= 1 + c.gain
	c.gain = min(clockMost, 2*c.gain)
	c.raised, c.since = admitted, at
	c.restart(at, admitted)
	c.pauses, c.full = 1, true
	return true
}

// limit is how to pace. What is not yet known well is not sent in bursts.
func (c *tokenClock) limit() Limit {
	burst := 1.0
	if c.sure {
		burst = max(1, min(c.burst/2, 1e6))
	}
	return Limit{Rate: rate.Limit(min(c.rate*(1+c.gain), 1e9)), Burst: int(burst)}
}

// blind reports whether the calls of a scope have nothing to go by but refusals.
func (b *Budget) blind(s *scope) bool {
	for _, c := range b.byHand {
		if c.share.heard {
			return false // it counts down a limit that was set by hand
		}
	}
	return len(s.known) == 0
}

// letThrough is how much was answered, and not refused.
func (s *scope) letThrough() int64 { return s.ended.Load() - s.rejected }

// learnRefusal lets the token clock read a refusal.
func (b *Budget) learnRefusal(t *Ticket, at, until int64) int64 {
	s := t.lane.scope
	passed := s.letThrough() - int64(t.cost)
	if s.clock.rate == 0 && passed < clockLeastSeen {
		return 0
	}
	went := t.at
	if went == fresh {
		went = at
	}
	extra := s.clock.refused(b.firstCall(went), refusal{went, max(until, went), passed, len(b.byHand)+len(t.lane.own) > 0, b.permits.few()})
	if s.clock.vague > clockVague {
		b.unpace(s)
		return 0
	}
	s.clock.sent, s.clock.heard = t.sent, at
	b.setPace(s, at)
	return extra
}

// learnSuccess lets it know of a call that was let through.
func (b *Budget) learnSuccess(t *Ticket, at int64) {
	if !t.pressed {
		return
	}
	s := t.lane.scope
	s.clock.heard = at
	if s.clock.succeeded(at, s.letThrough()) {
		b.setPace(s, at)
	}
}

// setPace puts the pace of the token clock into force.
func (b *Budget) setPace(s *scope, at int64) {
	c := newCell(s.clock.limit())
	if c.bad != nil {
		return
	}
	if old := s.clock.cell; old != nil {
		c.tat.Store(carry(&old.gcra, &c.gcra, *b.hold(old), at))
		b.retire(old)
	} else {
		c.tat.Store(c.tatFor(0, at))
	}
	s.clock.cell = c
	b.relist(s)
	b.refresh()
}

// forgetPace is how long a pace holds that nobody had to wait for, and that the
// server had no part in: limits change, and nobody is to be slower for ever.
const forgetPace = int64(10 * time.Minute)

// unpace takes it out of force.
func (b *Budget) unpace(s *scope) {
	if s.clock.cell != nil {
		b.retire(s.clock.cell)
		s.clock = tokenClock{}
		b.relist(s)
		b.refresh()
	}
}

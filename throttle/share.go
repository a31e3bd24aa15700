package throttle

import (
	"math"
	"math/rand/v2"
)

// A share is what a budget does about others who draw on the same limit of the
// server. It is off until an answer proves that they exist: that more is gone
// than we sent. Then the level of the server's bucket, which all of them see,
// is held at a small reserve instead of at nothing. Each corrects its own rate
// by the same error, and leaks a little towards the mean, so that all come to
// equal shares without knowing of each other.
type share struct {
	on     bool
	proven float64 // calls of others that were proven of late
	proof  int64   // when the last of them was
	others float64 // their calls a second
	own    float64 // ours
	level  float64 // of the server's bucket, at the last answer
	at     int64   // when that was
	sent   int64   // what we had sent up to the call it answered
	heard  bool    // there was one

	rate    float64 // our calls a second, while on
	next    int64   // the TAT of that rate
	reserve float64 // the level to hold
	strikes int     // refusals in a row

	random func() float64 // nil: that of math/rand
}

const (
	shareGain    = 4.0  // answers over which the rate is corrected
	shareLeak    = 0.4  // how much of that is towards equal shares
	shareBase    = 0.35 // of the square root that the leak pulls to
	sharePeriod  = 40.0 // intervals over which an error of the level is made good, or fewer, by the burst
	shareReserve = 2.0  // calls to hold in reserve at least
	shareSpread  = 1e9  // ns over which those who begin together are spread at most
	shareSuspect = 0.75 // of what a full bucket would have run over by, if others are suspected
)

// draw is a number from [0, 1) at random.
func (s *share) draw() float64 {
	if s.random != nil {
		return s.random()
	}
	return rand.Float64()
}

// least is the rate to begin with, and the one that is never gone below, so
// that none is forgotten: a call a second or so, but not less than a 64th of
// the limit, nor more than a 16th.
func (s *share) least(rate float64) float64 {
	return rate / max(16, min(64, rate*1.28))
}

// guard is how many calls must be left after one goes, so that what others do
// shows in what is left.
func (s *share) guard(g *gcra) int64 {
	if g.limit.Burst < 3 || !s.on && s.proven < 0.5 {
		return 0
	}
	return g.interval
}

// due is when the next call of n may go as far as our share is concerned.
func (s *share) due() int64 {
	if !s.on {
		return fresh
	}
	return s.next
}

// spend charges n to our share. Half an interval may be made up for.
func (s *share) spend(at int64, n int) {
	if !s.on {
		return
	}
	step := 1e9 / s.rate
	s.next = clamp(max(s.next, at-int64(step/2)) + int64(math.Ceil(min(step*float64(n), float64(far)))))
}

// An account is what an answer says of the server's bucket.
type account struct {
	seen   sighting
	sent   int64   // what we had sent up to the call that was answered
	left   float64 // calls left, by the server
	proof  float64 // calls of others that it proves
	waited bool    // the call had to wait: we want more than we get
}

// observe takes in an answer. It reports whether the share went on or off.
func (s *share) observe(g *gcra, n *network, a account) bool {
	rate := 1e9 / float64(g.interval)
	if !s.measure(g, rate, n, a) {
		return false
	}
	switch {
	case !s.on && s.proven > 0.9 && g.limit.Burst >= 3:
		s.on, s.rate, s.reserve = true, s.least(rate), shareReserve
		// Those who find out together must not go together.
		s.next = a.seen.at + int64(s.draw()*min(1e9/s.rate, shareSpread))
		return true
	case s.on && s.others < 0.02*rate && a.seen.at-s.proof > int64(2e9/s.least(rate)):
		s.on = false
		return true
	case s.on:
		s.steer(g, n, rate, a.waited)
	}
	return false
}

// measure brings the rates up to date: what is gone from the bucket since the
// last answer, and was not ours, was that of others. It reports false if there
// is nothing to compare with.
func (s *share) measure(g *gcra, rate float64, n *network, a account) bool {
	level, dt := a.left+0.5, float64(a.seen.from-s.at)/1e9
	if !s.heard {
		s.heard, s.own = true, rate
		s.level, s.at, s.sent = level, a.seen.from, a.sent
		return false
	}
	if dt <= 0 {
		return false // it overtook a later one
	}
	if idle := a.seen.from - s.at; idle > int64(1e9/s.least(rate)) {
		s.proof += idle // nothing was heard that could have been one more
	}
	ours := float64(a.sent - s.sent)
	// A bucket that is full runs over. What would have is nobody's, unless there
	// are signs that others were there to have it.
	over := max(0, s.level+rate*dt-ours-float64(g.limit.Burst))
	theirs := s.level + rate*dt - ours - level - over*(1-shareSuspect*min(1, s.proven))
	s.level, s.at, s.sent = level, a.seen.from, a.sent

	pace := max(s.own, s.least(rate))
	if s.on {
		pace = s.rate
	}
	w := 1 - math.Exp(-dt/(shareGain*(1/pace+float64(n.least)/1e9)))
	s.own += w * (ours/dt - s.own)
	s.others += w * (theirs/dt - s.others)
	s.proven = s.proven*(1-w/4) + a.proof
	if a.proof > 0 {
		s.proof = a.seen.at
	}
	return true
}

// steer corrects our rate.
func (s *share) steer(g *gcra, n *network, rate float64, waited bool) {
	total := s.rate + max(0, s.others)
	parties := total / s.rate
	level := s.level
	if plenty := s.reserve + 10 + 1.5*total*float64(n.least)/1e9; level > min(plenty, 0.8*float64(g.limit.Burst)) {
		s.next = fresh
		s.rate = max(rate*s.rate/total, s.least(rate))
		return
	}
	hold := min(s.reserve+0.3*(parties-1), float64(g.limit.Burst)/3)
	period := min(sharePeriod, max(4, float64(g.limit.Burst))) * float64(g.interval) / 1e9
	target := rate + (level-hold)/period
	ratio := max(0.5, min(2, target/(s.rate+max(0, s.others))))
	change := (s.rate*(ratio-1) + shareLeak*(shareBase*math.Sqrt(s.rate*rate)-s.rate)) / shareGain
	if change < 0 || waited {
		s.rate = max(s.least(rate), min(rate, s.rate+change))
	}
	s.strikes = 0
	s.reserve += (shareReserve - s.reserve) * 0.01
}

// refused is for a refusal while others draw as well.
func (s *share) refused(g *gcra, at int64) {
	if s.heard {
		s.proof = at
		s.proven++ // our schedule had it that the server would take it
	}
	if !s.on {
		return
	}
	s.reserve = min(s.reserve+1, float64(g.limit.Burst)*0.25)
	s.strikes = min(s.strikes+1, 6)
	rate := 1e9 / float64(g.interval)
	s.rate = max(s.least(rate), min(s.rate, rate/math.Exp2(float64(s.strikes))))
	s.next = max(s.next, at+int64((0.5+s.draw())*min(1e9/s.rate, 2*shareSpread)))
}

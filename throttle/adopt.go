package throttle

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// A Policy is a limit as a server publishes it on an answer, in plain values.
type Policy struct {
	Name      string
	Limit     float64       // calls in Window; zero: not published
	Window    time.Duration // zero: not published
	Burst     float64       // calls back to back from rest; zero: not published
	Remaining float64       // calls left; negative: not published
	Reset     time.Duration // from the answer on, until Remaining is of the past; negative: not published

	// Concurrent says that Limit is of calls under way at once, and caps them.
	Concurrent bool
}

// A sighting is when a policy was seen, and what we sent ourselves.
type sighting struct {
	at     int64 // when the answer came
	from   int64 // when its call may have come to the server: from then on; fresh if unknown
	to     int64 // and until then
	own    int64 // cost of all calls so far
	cost   int64 // of the one that was answered
	unsure int64 // cost of the calls that may have come to the server after this one

	trip   int64   // how long a call is under way
	spread float64 // how much of a quota not to let go at once, from 0 to 1
	left   float64 // what is left at least, as all answers of late have it
	ends   int64   // when the window ends at the latest, as they have it; 0: only this one says
}

// A plan is the limit that a policy amounts to, and where it stands.
type plan struct {
	limit  Limit
	most   int     // no call costs more
	level  float64 // calls that may go at once, at first; negative: see install
	least  float64 // and at any time, if it is above zero
	lo, hi int64   // bounds for TAT
	end    int64   // when the plan is of the past; far if never
}

// jitter is how far apart the network is taken to bring two calls that went
// together. It is kept back of a tolerance, or added to a window.
const jitter = 50 * time.Millisecond

// plan makes a limit of a sane policy. It reports false if the policy says too
// little.
func (p *Policy) plan(seen sighting) (out plan, ok bool) {
	switch {
	case p.Limit > 0 && p.Window > 0 && p.Burst >= 1:
		out = p.bucket(seen)
	case p.Remaining >= 0 && p.Reset > 0:
		out = p.quota(seen)
	case p.Limit >= 1 && p.Window > 0:
		out = p.window(seen)
	default:
		return plan{}, false
	}
	return out, out.limit.Validate() == nil
}

// Binds reports whether the policy says enough to make a limit of calls by itself:
// a cap on calls under way does not, nor the count of what is left of a limit that
// is not published.
func (p Policy) Binds() bool {
	p = p.sane()
	_, ok := p.plan(sighting{from: fresh})
	return ok && !p.Concurrent
}

// leavesNone reports whether the policy says that less is left than a call of n
// needs.
func (p *Policy) leavesNone(n int) bool {
	return !p.Concurrent && p.Remaining >= 0 && p.Remaining < float64(n)
}

// countOnly reports whether the policy says what is left, but not of what.
func (p *Policy) countOnly() bool {
	return p.Remaining >= 0 && p.Limit == 0 && p.Window == 0 && p.Burst == 0 && p.Reset < 0
}

// sane takes out what cannot be true.
func (p Policy) sane() Policy {
	count := func(v, without float64) float64 {
		if !(v >= 0 && v <= 1e15) {
			return without
		}
		return v
	}
	p.Limit, p.Burst = count(p.Limit, 0), count(p.Burst, 0)
	p.Remaining = math.Floor(count(p.Remaining, -1))
	if most := max(p.Limit, p.Burst); most > 0 {
		p.Remaining = min(p.Remaining, most)
	}
	p.Window = max(0, min(p.Window, time.Duration(far)))
	p.Reset = min(p.Reset, time.Duration(far))
	if p.Limit > 0 && p.Limit < 1 && p.Burst == 0 {
		p.Burst = 1 // less than a call a window is a rate, not a quota
	}
	return p
}

// bucket is for a rate and a burst that are both published: they hold as they
// stand. An answer with a count of what remains proves where the TAT of the
// server stood when the call came: between lo and hi, if it is a bucket. One
// without proves that no more than the burst was gone.
func (p *Policy) bucket(seen sighting) plan {
	l := Limit{Rate: rate.Limit(p.Limit / p.Window.Seconds()), Burst: int(min(p.Burst, 1e9))}
	if l.Rate > 1e9 {
		l.Rate = rate.Inf
	}
	out := plan{limit: l, level: -1, lo: fresh, hi: 2 * far, end: far}
	if l.Rate == rate.Inf {
		return out
	}
	interval, used := nanoseconds(1, l.Rate), float64(l.Burst)-max(0, p.Remaining)
	out.hi = seen.to + scale(interval, used+float64(seen.unsure))
	if seen.from != fresh && p.Remaining >= 0 {
		out.lo = seen.from + scale(interval, used-1)
	}
	return out
}

// window is for a quota a window of which nothing more is known: as [Per], and
// as much later as the network may bring two calls closer together.
func (p *Policy) window(seen sighting) plan {
	n := int(min(p.Limit, 1e9))
	slack := min(jitter, p.Window/20)
	l := perWindow(n, max(1, n/10), p.Window+slack)
	out := plan{limit: l, most: n, level: -1, lo: fresh, hi: 2 * far, end: far}
	out.hi = seen.to + scale(nanoseconds(1, l.Rate), float64(l.Burst)+float64(seen.unsure))
	if left := p.Remaining - float64(seen.unsure); p.Remaining >= 0 && left < float64(l.Burst) {
		out.lo = seen.at + scale(nanoseconds(1, l.Rate), float64(l.Burst)-max(0, left))
	}
	return out
}

// quota is for what remains until a reset. No more than that before the reset
// is right for every kind of server, while nobody else draws on it. What is
// left of the first half, or of another share, may go as a burst; the rest is
// spread. At the reset one call goes, and brings the next figures.
func (p *Policy) quota(seen sighting) plan {
	left := max(0, p.Remaining-float64(seen.unsure), seen.left)
	reset := p.Reset
	if reset%time.Second == 0 {
		reset += time.Second // it is in whole seconds, and may have been cut off
	}
	if p.Window > 0 {
		reset = min(reset, max(p.Window, p.Reset))
	}
	keep := seen.spread * p.Limit
	if p.Limit == 0 {
		keep = seen.spread * left
	}
	burst := math.Floor(min(max(left-keep, 1), left, 1e9))
	until := clamp(int64(reset))
	if seen.ends > seen.at {
		until = min(until, seen.ends-seen.at)
	}
	// None of them is to come after the reset that went before.
	interval := max(1, int64(math.Ceil(float64(max(until/2, until-seen.trip))/(left-burst+1))))
	l := Limit{Rate: rate.Every(time.Duration(interval)), Burst: int(max(1, burst))}
	out := plan{limit: l, most: int(min(max(p.Limit, left, 1), 1e9)), level: burst, lo: fresh, hi: 2 * far, end: clamp(seen.at + until)}
	switch {
	case left < 1:
		out.lo = out.end
	case left-keep >= 1:
		out.least = burst
	}
	return out
}

// scale is n·T, saturating.
func scale(interval int64, n float64) int64 {
	return int64(max(-float64(far), min(float64(far), float64(interval)*n)))
}

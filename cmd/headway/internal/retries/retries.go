// Package retries says when the retries of a backoff.Policy come: the bounds of
// each wait, what it is on average, and how long it may all take, with what a
// server asks for and without. Most callers want [Plan.Schedule].
package retries

import (
	"math"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// A Plan is a call that is tried until its Policy gives up, because every
// attempt fails.
type Plan struct {
	Policy backoff.Policy

	// RetryAfter is what the server asks for at each failure; zero is nothing.
	RetryAfter time.Duration

	// Attempt is how long each attempt takes.
	Attempt time.Duration
}

// A Schedule is when the retries of a Plan come.
type Schedule struct {
	RetryAfter sim.Seconds `json:"retry_after_seconds"` // None for nothing
	Retries    []Retry     `json:"retries"`

	// Worst is the longest that it may take until the last attempt has failed,
	// and Expected the mean, None if MaxElapsed may end it before.
	Worst    sim.Seconds `json:"worst_seconds"`
	Expected sim.Seconds `json:"expected_seconds"`
}

// A Retry is an attempt after the first. The wait before it is drawn at random.
type Retry struct {
	Number int `json:"retry"` // from 1

	Shortest sim.Seconds `json:"shortest_seconds"` // the wait
	Mean     sim.Seconds `json:"mean_seconds"`
	Longest  sim.Seconds `json:"longest_seconds"`

	Earliest sim.Seconds `json:"earliest_seconds"` // when it begins, from the start of the first attempt
	Expected sim.Seconds `json:"expected_seconds"`
	Latest   sim.Seconds `json:"latest_seconds"`

	Reached Reached `json:"reached"`
}

// Reached is whether MaxElapsed lets a retry come.
type Reached string

// The values of Reached.
const (
	Always  Reached = "always"
	Perhaps Reached = "perhaps" // it depends on what is drawn
	Never   Reached = "never"
)

// MaxRetries is how many retries a Schedule has at most.
const MaxRetries = 1000

// Schedule returns when the retries come. It has no more than MaxRetries of
// them; the error is a *backoff.PolicyError.
func (p Plan) Schedule() (Schedule, error) {
	if err := p.Policy.Validate(); err != nil {
		return Schedule{}, err
	}
	s := Schedule{RetryAfter: sim.None, Retries: []Retry{}}
	if p.RetryAfter > 0 {
		s.RetryAfter = sim.Seconds(p.RetryAfter)
	}
	var last Retry
	for n := range min(attempts(p.Policy)-1, MaxRetries) {
		last = p.follow(last, n)
		s.Retries = append(s.Retries, last)
	}
	s.Worst, s.Expected = p.end(s.Retries)
	return s, nil
}

// follow returns the retry that comes after the last one.
func (p Plan) follow(last Retry, n int) Retry {
	lo, mean, hi := p.wait(n)
	at := func(before sim.Seconds, wait time.Duration) sim.Seconds {
		return sim.Seconds(add(add(time.Duration(before), p.Attempt), wait))
	}
	r := Retry{
		Number: n + 1, Reached: Always,
		Shortest: sim.Seconds(lo), Mean: sim.Seconds(mean), Longest: sim.Seconds(hi),
		Earliest: at(last.Earliest, lo), Expected: at(last.Expected, mean), Latest: at(last.Latest, hi),
	}
	if bound := sim.Seconds(p.Policy.MaxElapsed); bound > 0 && r.Earliest > bound {
		r.Reached = Never
	} else if bound > 0 && r.Latest > bound {
		r.Reached = Perhaps
	}
	return r
}

// wait returns the bounds and the mean of the n-th wait, from zero: the longer
// of what the Policy draws, and what it draws on top of what the server asked for.
func (p Plan) wait(n int) (lo, mean, hi time.Duration) {
	lo, hi = p.Policy.Bounds(n)
	if p.RetryAfter <= 0 {
		return lo, lo + (hi-lo)/2, hi
	}
	from, to := hinted(p.Policy, p.RetryAfter)
	mean = meanOfLonger(lo, hi, from, to)
	return max(lo, from), mean, max(hi, to)
}

// end returns how long it takes until the last attempt has failed, at the most
// and on average.
func (p Plan) end(retries []Retry) (worst, expected sim.Seconds) {
	bound := sim.Seconds(p.Policy.MaxElapsed)
	for _, r := range retries {
		switch r.Reached {
		case Always:
			worst, expected = r.Latest, r.Expected
		case Perhaps: // the waits may be drawn so that it begins just in time
			worst, expected = bound, sim.None
		case Never:
			expected = sim.None
		}
	}
	worst = sim.Seconds(add(time.Duration(worst), p.Attempt))
	if expected != sim.None {
		expected = sim.Seconds(add(time.Duration(expected), p.Attempt))
	}
	return worst, expected
}

// meanOfLonger returns the mean of the longer of two waits, one drawn evenly from
// a to b, the other from c to d. It is the longest that there may be, less the
// integral of the chance that both are shorter.
func meanOfLonger(a, b, c, d time.Duration) time.Duration {
	first, second := even{a.Seconds(), b.Seconds()}, even{c.Seconds(), d.Seconds()}
	from, both, to := max(first.lo, second.lo), min(first.hi, second.hi), max(first.hi, second.hi)
	both = max(both, from)
	// Up to both, the chance is a parabola, for which Simpson's rule is exact;
	// then it is a line up to the longest.
	chance := func(x float64) float64 { return first.below(x) * second.below(x) }
	area := (both-from)/6*(chance(from)+4*chance((from+both)/2)+chance(both)) + (to-both)/2*(chance(both)+chance(to))
	return min(max(time.Duration(math.Round((to-area)*1e9)), a, c), max(b, d))
}

// even is a number drawn evenly from lo to hi.
type even struct{ lo, hi float64 }

// below is the chance that it is x or less.
func (e even) below(x float64) float64 {
	if x >= e.hi {
		return 1
	}
	return max(0, (x-e.lo)/(e.hi-e.lo))
}

// hinted returns the bounds of what follows from a hint alone, as backoff.Policy
// documents them.
func hinted(p backoff.Policy, hint time.Duration) (lo, hi time.Duration) {
	longest := p.Max
	if longest == 0 {
		longest = max(backoff.DefaultMax, p.Min)
	}
	extra := time.Duration(math.MaxInt64)
	if f := float64(hint) * HintJitter(p); f < math.MaxInt64 {
		extra = time.Duration(f)
	}
	return hint, add(hint, min(extra, longest))
}

// Jitter and HintJitter return what the fields of a Policy stand for, from 0 to 1.
func Jitter(p backoff.Policy) float64 { return share(p.Jitter, backoff.DefaultJitter) }

// HintJitter is described at Jitter.
func HintJitter(p backoff.Policy) float64 {
	return share(p.HintJitter, min(backoff.DefaultHintJitter, Jitter(p)))
}

func share(field, zero float64) float64 {
	switch field {
	case backoff.NoJitter:
		return 0
	case 0:
		return zero
	}
	return field
}

func attempts(p backoff.Policy) int {
	if p.MaxAttempts == 0 {
		return backoff.DefaultMaxAttempts
	}
	return p.MaxAttempts
}

// add returns a+b, both not negative, or the largest Duration.
func add(a, b time.Duration) time.Duration { return a + min(b, math.MaxInt64-a) }

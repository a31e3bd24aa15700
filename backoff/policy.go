// Package backoff says how long to wait before trying again.
//
// A [Policy] is a plain value: [Policy.Delay] is a function of the number of
// the retry and of the delay that the server asked for, if any. Most callers
// either set a Policy in a struct that retries for them, or call [Retry].
//
// The exponential interval is that of github.com/cenkalti/backoff/v4, and
// [Policy.Start] yields a BackOff for code written against that package.
// [Func] adapts a Policy to github.com/hashicorp/go-retryablehttp.
package backoff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	cenkalti "github.com/cenkalti/backoff/v4"
)

// What a zero field of a [Policy] means.
const (
	DefaultMin         = 100 * time.Millisecond
	DefaultMax         = 20 * time.Second
	DefaultMultiplier  = 2.0
	DefaultJitter      = 1.0
	DefaultHintJitter  = 0.1
	DefaultMaxAttempts = 4
)

// NoJitter as [Policy.Jitter] or [Policy.HintJitter] says that nothing is
// drawn at random. (Zero means the default.)
const NoJitter = -1

// A Policy says how long to wait before each retry: Min before the first,
// Multiplier times as long before each further one, lengthened at random by up
// to Jitter, and never longer than Max. So every delay lies between Min and
// Max, and only a server's hint can move a retry to later than that.
//
// The zero Policy is ready to use. A Policy is a plain value: copy it, compare
// it, and share it between goroutines freely. Its methods do not block.
//
// [Policy.Validate] tells which field makes no sense. The other methods read
// such a field as zero, and a Min longer than Max as Max: whatever the fields
// hold, delays are positive and not above Max.
type Policy struct {
	// Min is the shortest delay, and the one that grows.
	// Zero means DefaultMin, or Max if that is shorter.
	Min time.Duration

	// Max is the longest delay, jitter included. It does not shorten a hint.
	// Zero means DefaultMax, or Min if that is longer.
	Max time.Duration

	// Multiplier is how much longer each delay is than the one before; at
	// least 1. Zero means DefaultMultiplier.
	Multiplier float64

	// Jitter is how much of a delay may be added to it at random, from 0 to 1,
	// so that clients that failed together do not return together. Zero means
	// DefaultJitter, 1, where a delay is half fixed and half random (known as
	// equal jitter); NoJitter means none. Where the sum would pass Max, it is
	// the fixed part that gives way, though not below Min.
	Jitter float64

	// HintJitter is how much of a hint may be added to it at random, from 0 to
	// 1, but never more than Max. Zero means DefaultHintJitter, or Jitter if
	// that is less; NoJitter means none.
	HintJitter float64

	// MaxAttempts is how often Retry, or the user of a Sequence, may try in
	// all; 1 means never again, math.MaxInt no limit. Zero means
	// DefaultMaxAttempts. Delay ignores it.
	MaxAttempts int

	// MaxElapsed bounds the time from the start of Retry, or of a Sequence, to
	// the end of a wait: one that would pass it is not begun. It does not
	// interrupt an attempt. Zero means no bound. Delay ignores it.
	MaxElapsed time.Duration
}

// Delay returns how long to wait before the n-th retry, counting from zero; a
// negative n counts as zero.
//
// The hint is the delay that the server asked for. Zero or less means none. A
// delay is never shorter than its hint: what Policy adds to it makes it longer,
// up to the largest Duration. A hint that is shorter than the delay without it
// makes no difference, so a server that asks for no wait at all still gets one.
func (p Policy) Delay(n int, hint time.Duration) time.Duration {
	return p.resolved().delay(n, hint)
}

// delay requires that p is resolved.
func (p Policy) delay(n int, hint time.Duration) time.Duration {
	d := draw(p.bounds(n))
	if hint <= 0 {
		return d
	}
	extra := min(scale(hint, p.HintJitter), p.Max)
	return max(d, draw(hint, add(hint, extra)))
}

// Bounds returns the shortest and the longest that Delay(n, 0) can be. Delays
// are spread evenly between them, so their mean is halfway.
func (p Policy) Bounds(n int) (lo, hi time.Duration) {
	return p.resolved().bounds(n)
}

// bounds requires that p is resolved.
func (p Policy) bounds(n int) (lo, hi time.Duration) {
	// From here on only the random part reaches up to Max. Were the fixed part
	// to reach Max as well, nothing would be left to tell clients apart.
	top := max(p.Min, scale(p.Max, 1/(1+p.Jitter)))
	lo = interval(p.Min, top, p.Multiplier, n)
	if lo == top {
		return lo, p.Max
	}
	return lo, min(add(lo, scale(lo, p.Jitter)), p.Max)
}

// interval returns first·multiplier^n, at most top, as cenkalti's
// ExponentialBackOff computes it.
//
// It takes one step of multiplier^n rather than n of multiplier: that is as
// fast for any n, and the truncation of each step does not add up (in steps,
// 1 ns times 1.5 stays 1 ns for ever). Randomness is left out, because that
// type applies it after its cap and draws it from a source which a program may
// have seeded.
func interval(first, top time.Duration, multiplier float64, n int) time.Duration {
	e := cenkalti.ExponentialBackOff{
		InitialInterval: first,
		Multiplier:      math.Pow(multiplier, float64(max(n, 0))),
		MaxInterval:     top,
		Stop:            cenkalti.Stop,
		Clock:           noClock{},
	}
	e.Reset()
	e.NextBackOff()
	// Its float64 may round to just outside.
	return min(max(e.NextBackOff(), first), top)
}

// noClock is what an ExponentialBackOff without MaxElapsedTime needs of a
// clock: that there is one.
type noClock struct{}

func (noClock) Now() time.Time { return time.Time{} }

// resolved returns p with its defaults in place, also for what makes no sense.
// Only then is a Jitter of zero none; a MaxElapsed of zero or less is no bound.
func (p Policy) resolved() Policy {
	switch {
	case p.Max <= 0:
		p.Max = max(DefaultMax, p.Min)
	case p.Min > p.Max:
		p.Min = p.Max
	}
	if p.Min <= 0 {
		p.Min = min(DefaultMin, p.Max)
	}
	if p.Multiplier == 0 || !validMultiplier(p.Multiplier) {
		p.Multiplier = DefaultMultiplier
	}
	p.Jitter = share(p.Jitter, DefaultJitter)
	p.HintJitter = share(p.HintJitter, min(DefaultHintJitter, p.Jitter))
	if p.MaxAttempts <= 0 {
		p.MaxAttempts = DefaultMaxAttempts
	}
	return p
}

// share returns the share that a jitter field stands for.
func share(field, zero float64) float64 {
	switch {
	case field == NoJitter:
		return 0
	case field == 0 || !validJitter(field):
		return zero
	}
	return field
}

func validMultiplier(m float64) bool { return m == 0 || m >= 1 && !math.IsInf(m, 0) }

func validJitter(j float64) bool { return j == NoJitter || j >= 0 && j <= 1 }

// draw returns a Duration from lo to hi, both included, each as likely.
func draw(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(rand.Uint64N(uint64(hi-lo)+1))
}

// add returns a+b, both not negative, or the largest Duration.
func add(a, b time.Duration) time.Duration {
	return a + min(b, math.MaxInt64-a)
}

// scale returns d·f for an f from 0 to 1.
func scale(d time.Duration, f float64) time.Duration {
	if f == 1 { // exact; and float64(d) may be larger than any Duration
		return d
	}
	return time.Duration(float64(d) * f)
}

// A PolicyError reports a field of a [Policy] that makes no sense.
type PolicyError struct {
	Field   string // the name of the field, such as "Min"
	Problem string // what is wrong with it, such as "is negative: -1s"
}

func (e *PolicyError) Error() string {
	return "backoff: Policy." + e.Field + " " + e.Problem
}

// Validate returns nil, or a *[PolicyError] that names the first field that
// makes no sense: a negative or unordered duration, a Multiplier below 1, a
// jitter that is neither NoJitter nor between 0 and 1, or not a finite number.
func (p Policy) Validate() error {
	switch {
	case p.Min < 0:
		return negative("Min", p.Min)
	case p.Max < 0:
		return negative("Max", p.Max)
	case p.Max > 0 && p.Min > p.Max:
		return &PolicyError{"Min", fmt.Sprintf("of %v is longer than Max, %v", p.Min, p.Max)}
	case !validMultiplier(p.Multiplier):
		return &PolicyError{"Multiplier", fmt.Sprintf("is not a finite number from 1 up: %v", p.Multiplier)}
	case !validJitter(p.Jitter):
		return &PolicyError{"Jitter", fmt.Sprintf("is neither NoJitter nor from 0 to 1: %v", p.Jitter)}
	case !validJitter(p.HintJitter):
		return &PolicyError{"HintJitter", fmt.Sprintf("is neither NoJitter nor from 0 to 1: %v", p.HintJitter)}
	case p.MaxAttempts < 0:
		return negative("MaxAttempts", p.MaxAttempts)
	case p.MaxElapsed < 0:
		return negative("MaxElapsed", p.MaxElapsed)
	}
	return nil
}

func negative(field string, value any) error {
	return &PolicyError{field, fmt.Sprintf("is negative: %v", value)}
}

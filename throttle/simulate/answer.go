package simulate

import (
	"math"
	"time"
)

// An Answer is what a client gets to see of a verdict. The zero Answer is none:
// it stands for a call that timed out.
type Answer struct {
	Status int  // HTTP status, 0 if no answer came
	Said   Said // which of the following the server said

	Limit, Remaining, Burst   int64
	Window, Reset, RetryAfter time.Duration // Reset and RetryAfter are from now
}

// Said is a set of the numbers in an Answer.
type Said uint8

// The numbers that an Answer may have.
const (
	SaidLimit Said = 1 << iota
	SaidRemaining
	SaidBurst
	SaidWindow
	SaidReset
	SaidRetryAfter
)

// Has reports whether the server said all of these.
func (a Answer) Has(s Said) bool { return a.Said&s == s }

// Headers is what a server publishes about its limit on every answer.
type Headers uint8

// The ways to publish a limit.
const (
	HeadersNone      Headers = iota // nothing
	HeadersRemaining                // RateLimit-Remaining alone
	HeadersTrio                     // X-RateLimit-Limit (the burst), -Remaining and -Reset (in seconds)
	HeadersIETF                     // RateLimit and RateLimit-Policy
	HeadersIETFBurst                // the same with a burst parameter
)

// Retry is how a server tells a refused client when to come back.
type Retry uint8

// The ways to say Retry-After.
const (
	RetryNone    Retry = iota // it does not
	RetryExact                // to the nanosecond, as a decimal number of seconds
	RetrySeconds              // in whole seconds, rounded up
)

// A Publisher says what clients get to see. The zero Publisher shows a status
// and nothing else. A Publisher is a plain value.
type Publisher struct {
	Headers Headers
	Retry   Retry
	Lie     Lie
	Refusal int // status of a refusal; zero means 429
}

// Answer returns what the client sees of a verdict given at an instant under a
// policy. Remaining is rounded down, Reset up to whole seconds.
func (p Publisher) Answer(at time.Duration, v Verdict, policy Policy) Answer {
	a := Answer{Status: 200}
	if !v.Admitted {
		a.Status = p.refusal()
		p.sayRetry(&a, at, v)
	}
	p.sayLimit(&a, at, v, policy)
	if p.Lie != LieNone {
		p.Lie.tell(&a, at)
	}
	return a
}

func (p Publisher) refusal() int {
	if p.Refusal == 0 {
		return 429
	}
	return p.Refusal
}

func (p Publisher) sayRetry(a *Answer, at time.Duration, v Verdict) {
	if p.Retry == RetryNone || v.RetryAt == Never || v.RetryAt == Unknown {
		return
	}
	a.Said |= SaidRetryAfter
	a.RetryAfter = max(v.RetryAt-at, 0)
	if p.Retry == RetrySeconds {
		a.RetryAfter = wholeSeconds(a.RetryAfter)
	}
}

func (p Publisher) sayLimit(a *Answer, at time.Duration, v Verdict, policy Policy) {
	if p.Headers == HeadersNone {
		return
	}
	a.Said |= SaidRemaining
	a.Remaining = int64(math.Floor(max(v.Left, 0)))
	if p.Headers == HeadersRemaining {
		return
	}
	a.Said |= SaidLimit
	a.Limit = policy.Burst
	if v.ResetAt != Unknown {
		a.Said |= SaidReset
		a.Reset = wholeSeconds(max(v.ResetAt-at, 0))
	}
	if p.Headers == HeadersTrio || policy.Rate.Per <= 0 {
		return
	}
	a.Said |= SaidWindow
	a.Limit, a.Window = inWholeSeconds(policy.Rate)
	if p.Headers == HeadersIETFBurst {
		a.Said |= SaidBurst
		a.Burst = policy.Burst
	}
}

// wholeSeconds rounds up, but for what is next to Never.
func wholeSeconds(d time.Duration) time.Duration {
	return addSat(d, time.Second-1).Truncate(time.Second)
}

// inWholeSeconds returns the rate over a window that the IETF fields can name,
// a whole number of seconds: exactly where a window of up to an hour can do it,
// else a little less.
func inWholeSeconds(r Rate) (int64, time.Duration) {
	if r.Per%time.Second == 0 {
		return r.Count, r.Per
	}
	times := int64(time.Second) / gcd(int64(r.Per%time.Second), int64(time.Second))
	if span := mulCap(times, int64(r.Per), int64(Never)); span <= int64(time.Hour) {
		return times * r.Count, time.Duration(span)
	}
	window := wholeSeconds(max(r.Per, time.Hour))
	return max(mulDiv(r.Count, int64(window), int64(r.Per)), 1), window
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

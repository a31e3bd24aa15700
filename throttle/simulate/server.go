package simulate

import (
	"math"
	"time"
)

// A Server is the model of a rate limit. Its time is that of the arrivals: an
// instant before the last one counts as the last one, and one past [Horizon]
// as Horizon. A cost below 1 counts as 1.
type Server interface {
	// Arrive asks for cost units at an instant, takes them if they are
	// there, and says what became of it.
	Arrive(at time.Duration, cost int64) Verdict

	// Peek returns the verdict that Arrive would give, and takes nothing.
	Peek(at time.Duration, cost int64) Verdict

	// Policy returns the limit in force, as the server would publish it.
	Policy() Policy
}

// A Charger is a Server from which units can be taken without asking.
type Charger interface {
	Server

	// Charge takes cost units, or what is left of them.
	Charge(at time.Duration, cost int64)
}

// Horizon is the last instant that the models tell apart, 146 years in.
const Horizon = time.Duration(1 << 62)

const (
	// Never stands for an instant that does not come: the cost is more than
	// the server ever holds.
	Never = time.Duration(math.MaxInt64)

	// Unknown stands for an instant that the server cannot know, as when a
	// place comes free only once another call ends.
	Unknown = time.Duration(-1)
)

// A Verdict is what a Server decided about one arrival.
type Verdict struct {
	Admitted bool

	// Before and Left are the units there for the taking, before the call
	// and after it. Models that refill continuously have fractions.
	Before, Left float64

	// RetryAt is the earliest instant at which a call of the same cost is
	// admitted if nobody else comes and the limit does not change: the
	// instant of the call itself where it was admitted, else later, or
	// Never, or Unknown.
	RetryAt time.Duration

	// ResetAt is when the units come back: a bucket is full, a fixed window
	// ends, the oldest call leaves a log, the next step is due. Unknown
	// where the server cannot know.
	ResetAt time.Duration
}

// A Policy is a limit as it is published: Rate.Count units in Rate.Per, and
// how many may be taken at once. For windows, Burst is the whole window's
// count. A limit on calls in flight has a zero Rate.
type Policy struct {
	Rate  Rate
	Burst int64
}

// A Rate is Count units in every Per: an exact fraction, so that 100 in 7 s
// does not drift.
type Rate struct {
	Count int64
	Per   time.Duration
}

// PerSecond returns the rate in units per second, 0 for a Rate without a Per.
func (r Rate) PerSecond() float64 {
	if r.Per <= 0 {
		return 0
	}
	return float64(r.Count) / r.Per.Seconds()
}

// maxPer keeps the Per of a rate made from a float short, so that large buckets
// can still be counted in 64 bits. It is 18 minutes.
const maxPer = 1 << 40

// PerSecond returns the Rate closest to n units per second, to within 1e-9 of
// it: 1.25 is 1 in 800ms. It returns a [*ParamError] unless n lies between
// 1e-9 and 1e9.
func PerSecond(n float64) (Rate, error) {
	if err := checkFloat("rate", "per second", n, 1e-9, 1e9); err != nil {
		return Rate{}, err
	}
	count, per := fraction(n * 1e-9)
	return Rate{Count: count, Per: time.Duration(per)}, nil
}

// fraction returns p/q within 1e-12 of x, the first such among the continued
// fractions of x, or the last of them whose q is at most maxPer.
func fraction(x float64) (p, q int64) {
	var p0, q0 int64 = 0, 1
	p, q = 1, 0
	for rest := x; ; rest = 1 / rest {
		n := int64(rest)
		if p > 0 && q > 0 && n > (maxPer-q0)/q {
			return p, q
		}
		p0, q0, p, q = p, q, n*p+p0, n*q+q0
		rest -= float64(n)
		if rest <= 0 || p > 0 && math.Abs(float64(p)/float64(q)-x) <= 1e-12*x {
			return p, q
		}
	}
}

package throttle

import (
	"math"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// A Limit allows Burst calls back to back from rest, and Rate calls a second
// in the long run: at most Burst + Rate·w calls in any window of w seconds.
//
// It is what [rate.NewLimiter] takes, as one value. Use [rate.Every] for the
// rate of an interval, [rate.Inf] for no limit, and [Per] for a quota of n
// calls a window.
type Limit struct {
	// Rate is in calls a second. 0 is neither unlimited nor for ever: the
	// burst may be used once, and then nothing more.
	Rate rate.Limit

	// Burst is how many calls may go back to back from rest: the capacity of
	// the bucket. (Some texts call burst what is Burst−1 here, τ/T.)
	// Zero means 1.
	Burst int

	// Spent is how much of the burst is taken to be used up at the start, for
	// instance Burst−1 where others, or an earlier process, may have used it.
	// What the server says of it counts once it says something. Zero means that
	// the limit starts full.
	Spent int

	// Margin is how much of the tolerance τ = (Burst−1)/Rate is kept back, so
	// that calls which the network bunches up still conform where they
	// arrive. It costs Margin once, and no throughput. No more than a quarter
	// of τ is kept back, whatever it says. Zero means none.
	Margin time.Duration
}

// Per is the limit for a quota of n calls in a window: never more than n calls
// in any half-open window, wherever it begins.
//
// That is stricter than a rate of n/window with a burst of n, which lets twice
// n through in one window. A tenth of n is the burst, and the rate is such that
// both together make n: about nine tenths of n/window. With n below 1, or no
// window, the limit is not valid, and whoever takes it says so.
func Per(n int, window time.Duration) Limit {
	return perWindow(n, max(1, n/10), window)
}

// perWindow spreads a quota: from rest GCRA admits ⌈w/T⌉ + B − 1 calls in a
// half-open window w, which is n for T = w/(n−B+1).
func perWindow(n, burst int, window time.Duration) Limit {
	if n < 1 || window <= 0 {
		return Limit{Rate: -1, Burst: burst}
	}
	calls := int64(n - burst + 1)
	interval := (int64(window) + calls - 1) / calls
	l := Limit{Rate: rate.Every(time.Duration(interval)), Burst: burst}
	// A float64 cannot hold every interval: err to the slow side.
	for nanoseconds(1, l.Rate) < min(interval, far) {
		l.Rate = rate.Limit(math.Nextafter(float64(l.Rate), 0))
	}
	return l
}

// Validate reports what is wrong with the limit, as a *[FieldError], or nil.
func (l Limit) Validate() error {
	switch r := float64(l.Rate); {
	case math.IsNaN(r) || math.IsInf(r, 0):
		return badField("Rate", strconv.FormatFloat(r, 'g', -1, 64), "must be a number; rate.Inf is no limit")
	case r < 0:
		return badField("Rate", strconv.FormatFloat(r, 'g', -1, 64), "must not be negative")
	case r > 1e9 && l.Rate != rate.Inf:
		return badField("Rate", strconv.FormatFloat(r, 'g', -1, 64), "is finer than a nanosecond; rate.Inf is no limit")
	case l.Burst < 0:
		return badField("Burst", strconv.Itoa(l.Burst), "must not be negative")
	case l.Spent < 0:
		return badField("Spent", strconv.Itoa(l.Spent), "must not be negative")
	case l.Margin < 0:
		return badField("Margin", l.Margin.String(), "must not be negative")
	}
	return nil
}

// nanoseconds is how long n calls take at rate r, rounded up: a call a
// nanosecond early is a call too early. It rounds once, not once a call.
func nanoseconds(n int, r rate.Limit) int64 {
	ns := float64(n) * 1e9 / float64(r)
	if !(ns < float64(far)) { // r may be so small that ns is +Inf
		return far
	}
	// rate.Every(d) and back is off by a few units in the last place; without
	// this the interval of a limit of one an hour would be an hour and 1 ns.
	if whole := math.Round(ns); math.Abs(ns-whole) <= whole*0x1p-51 {
		return int64(whole)
	}
	return int64(math.Ceil(ns))
}

package throttletest

import (
	"math"
	"math/bits"
	"time"
)

// A limit is quota calls every window seconds, and burst calls at once.
//
// Amounts of calls are counted in parts, in whole numbers, so that nothing is
// ever rounded away: perCall parts are one call, and perNano parts come back in
// one nanosecond.
type limit struct {
	quota, window    int64
	burst            int64
	perCall, perNano int64
}

func makeLimit(quota, window, burst int64) limit {
	nanos := window * int64(time.Second)
	d := gcd(quota, nanos)
	return limit{quota: quota, window: window, burst: burst, perCall: nanos / d, perNano: quota / d}
}

// full is the level of a budget at rest.
func (l limit) full() int64 { return l.burst * l.perCall }

// refill is how long it takes until the given number of parts has come back.
func (l limit) refill(parts int64) time.Duration {
	d := parts / l.perNano
	if parts%l.perNano != 0 {
		d++
	}
	return time.Duration(d)
}

// fraction returns the first p/q of the continued fraction of x, which is from
// 1e-9 to 1e9, that is near it. Neither
// is more than 9e9, so that a billion times as much is still an int64.
func fraction(x float64) (p, q int64) {
	p, q = int64(x), 1
	lastP, lastQ := int64(1), int64(0)
	rest := x - math.Floor(x)
	for !near(float64(p)/float64(q), x) && rest != 0 {
		a := math.Floor(1 / rest)
		rest = 1/rest - a
		p, lastP = int64(a)*p+lastP, p
		q, lastQ = int64(a)*q+lastQ, q
	}
	return p, q
}

// near reports whether x is within half a part in a billion of want.
func near(x, want float64) bool { return math.Abs(x-want) <= want*0.5e-9 }

// mulDiv returns a·b/c and what remains, or the largest int64 if it is not less
// than that. None of the three is negative, and c is not zero.
func mulDiv(a, b, c int64) (quo, rem int64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64, 0
	}
	q, r := bits.Div64(hi, lo, uint64(c))
	if q >= math.MaxInt64 {
		return math.MaxInt64, 0
	}
	return int64(q), int64(r)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

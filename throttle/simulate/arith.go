package simulate

import (
	"math"
	"math/bits"
	"time"
)

// clampArrival puts an arrival where the models can count: time does not run
// backward, nor past Horizon, and a call costs something.
func clampArrival(at, last time.Duration, cost int64) (time.Duration, int64) {
	return min(max(at, last), Horizon), max(cost, 1)
}

// mulDiv returns a*b/c rounded down, MaxInt64 where that is too large.
// None of them may be negative, and c must not be 0.
func mulDiv(a, b, c int64) int64 {
	q, _ := divide(a, b, c)
	return q
}

// mulDivUp is mulDiv rounded up.
func mulDivUp(a, b, c int64) int64 {
	q, rest := divide(a, b, c)
	if rest > 0 {
		q++ // below MaxInt64, since saturation leaves no rest
	}
	return q
}

func divide(a, b, c int64) (q int64, rest uint64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64, 0
	}
	quo, rest := bits.Div64(hi, lo, uint64(c))
	if quo >= math.MaxInt64 {
		return math.MaxInt64, 0
	}
	return int64(quo), rest
}

// mulCap returns a*b, or limit where that is less. None may be negative.
func mulCap(a, b, limit int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > uint64(limit) {
		return limit
	}
	return int64(lo)
}

// divUp returns a/b rounded up, for a of 0 or more and b of 1 or more.
func divUp(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// addSat returns a+b, for instants and spans that are not negative, at most
// one short of Never.
func addSat(a, b time.Duration) time.Duration {
	if a > Never-1-b {
		return Never - 1
	}
	return a + b
}

package sim

import (
	"math"
	"math/bits"
	"time"
)

// mulDiv returns a*b/c rounded down, MaxInt64 where that is too large. None of
// them may be negative, and c must not be 0.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64))
}

// mulDivUp is mulDiv rounded up.
func mulDivUp(a, b, c int64) int64 {
	q := mulDiv(a, b, c)
	hi, lo := bits.Mul64(uint64(q), uint64(c))
	if wantHi, wantLo := bits.Mul64(uint64(a), uint64(b)); q < math.MaxInt64 && (hi != wantHi || lo != wantLo) {
		q++
	}
	return q
}

// perUnit is the time that a unit takes at a rate, in whole nanoseconds rounded
// up, but for the noise of a float64.
func perUnit(perSecond float64) time.Duration {
	exact := float64(time.Second) / perSecond
	if near := math.Round(exact); math.Abs(exact-near) < 1e-6 {
		return max(time.Duration(near), 1)
	}
	return time.Duration(math.Ceil(exact))
}

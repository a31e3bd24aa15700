package headers

import (
	"math"
	"math/bits"
	"strings"
	"time"
)

// horizon bounds every delay: whatever lies further ahead is a mistake.
const horizon = 366 * 24 * time.Hour

// maxValue is the longest field value that is looked at.
const maxValue = 4096

// A number is an unsigned decimal number, exact to the nanounit.
type number struct {
	whole uint64 // at most 18 digits
	nano  uint64
}

// readNumber reads 1 to 18 ASCII digits and up to 18 decimals, of which 9 count:
// languages that print floats send more. Signs, exponents, hexadecimal, NaN and
// the like, all of which strconv takes, are no counters.
func readNumber(s string) (n number, ok bool) {
	whole, frac, dot := strings.Cut(s, ".")
	if n.whole, ok = readDigits(whole, 18); !ok || !dot {
		return n, ok
	}
	if n.nano, ok = readDigits(frac, 18); !ok {
		return number{}, false
	}
	for i := len(frac); i < 9; i++ {
		n.nano *= 10
	}
	for i := len(frac); i > 9; i-- {
		n.nano /= 10
	}
	return n, true
}

// readDigits reads between one and most ASCII digits.
func readDigits(s string, most int) (v uint64, ok bool) {
	if len(s) == 0 || len(s) > most {
		return 0, false
	}
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + uint64(d)
	}
	return v, true
}

// float returns the number as a float64.
func (n number) float() float64 {
	if n.nano == 0 {
		return float64(n.whole)
	}
	if n.whole < 1<<23 { // the sum is exact, so that only the quotient rounds
		return float64(n.whole*1e9+n.nano) / 1e9
	}
	return float64(n.whole) + float64(n.nano)/1e9
}

// times returns n units of time, or the longest Duration; a unit below zero is none.
func (n number) times(unit time.Duration) time.Duration {
	if unit <= 0 {
		return 0
	}
	if n.whole > uint64(math.MaxInt64/unit) {
		return math.MaxInt64
	}
	whole := time.Duration(n.whole) * unit
	hi, lo := bits.Mul64(uint64(unit), n.nano)
	share, _ := bits.Div64(hi, lo, 1e9) // less than unit, since nano is below 1e9
	fraction := time.Duration(share)
	if whole > math.MaxInt64-fraction {
		return math.MaxInt64
	}
	return whole + fraction
}

func isGraph(c byte) bool { return c > ' ' }

// trim removes the white space that HTTP allows around a value. It returns
// nothing for values of absurd length.
func trim(s string) string {
	if len(s) > maxValue {
		return ""
	}
	if s == "" || isGraph(s[0]) && isGraph(s[len(s)-1]) {
		return s
	}
	return strings.Trim(s, " \t")
}

package headers

import (
	"math"
	"strings"
	"time"
)

const day = 24 * time.Hour

// readSpan reads a duration as Go prints it: "17ms", "6m0s", "2m59.56s"; days
// are taken as well. Signs and missing units are refused, sums saturate.
func readSpan(s string) (time.Duration, bool) {
	if s == "" || len(s) > 64 {
		return 0, false
	}
	var sum time.Duration
	for s != "" {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789."))
		n, ok := readNumber(s[:digits])
		unit, rest := cutSpanUnit(s[digits:])
		if !ok || unit == 0 {
			return 0, false
		}
		part := n.times(unit)
		if sum > math.MaxInt64-part {
			return math.MaxInt64, true
		}
		sum, s = sum+part, rest
	}
	return sum, true
}

// cutSpanUnit splits a unit of time off the front; zero means that there is none.
func cutSpanUnit(s string) (unit time.Duration, rest string) {
	end := 0
	for end < len(s) && (s[end] < '0' || s[end] > '9') {
		end++
	}
	switch s[:end] {
	case "ns":
		unit = time.Nanosecond
	case "us", "µs", "μs":
		unit = time.Microsecond
	case "ms":
		unit = time.Millisecond
	case "s":
		unit = time.Second
	case "m":
		unit = time.Minute
	case "h":
		unit = time.Hour
	case "d":
		unit = day
	}
	return unit, s[end:]
}

// readColons reads a duration as .NET prints it: "00:01:30", with a fraction.
func readColons(s string) (time.Duration, bool) {
	if len(s) < 8 || s[2] != ':' || s[5] != ':' {
		return 0, false
	}
	h, ok1 := readDigits(s[:2], 2)
	m, ok2 := readDigits(s[3:5], 2)
	sec, ok3 := readNumber(s[6:])
	if !ok1 || !ok2 || !ok3 || m > 59 || sec.whole > 59 {
		return 0, false
	}
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + sec.times(time.Second), true
}

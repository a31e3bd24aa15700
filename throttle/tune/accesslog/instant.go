package accesslog

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// A problem says why a line cannot be read; "" if it can.
type problem string

const (
	noInstant   problem = "no instant where one should be"
	farInstant  problem = "an instant before 1970 or after 2200"
	noSuchDay   problem = "a day or time that does not exist"
	longest             = math.MaxInt64
	lastInstant         = 7_258_118_400 * int64(time.Second) // the year 2200
)

// A clock knows how instants are written in one log.
type clock struct {
	zone *time.Location
	unit time.Duration
}

func (o *Options) clock() clock {
	c := clock{zone: o.Zone, unit: o.Unit}
	if c.zone == nil {
		c.zone = time.UTC
	}
	return c
}

// read sets the time of an entry from any of the forms of an instant.
func (c clock) read(b []byte, e *Entry) problem {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) >= 20 && b[2] == '/' && b[6] == '/':
		return c.common(b, e)
	case len(b) >= 10 && (b[4] == '-' && b[7] == '-' || b[4] == '/' && b[7] == '/'):
		return c.iso(b, e)
	}
	return c.number(b, e)
}

// common reads 10/Oct/2000:13:55:36 -0700, of which some servers write a
// fraction of the second, and some no zone.
func (c clock) common(b []byte, e *Entry) problem {
	month := monthOf(b[3:6])
	day, ok1 := digits(b[0:2])
	year, ok2 := digits(b[7:11])
	if !ok1 || !ok2 || month == 0 || b[11] != ':' {
		return noInstant
	}
	return c.timeOfDay(year, month, day, b[12:], e)
}

// iso reads 2000-10-10T13:55:36Z, with a blank or a T, a fraction or none, a
// zone or none, and - or / in the date.
func (c clock) iso(b []byte, e *Entry) problem {
	year, ok1 := digits(b[0:4])
	month, ok2 := digits(b[5:7])
	day, ok3 := digits(b[8:10])
	if !ok1 || !ok2 || !ok3 || len(b) < 19 || b[10] != 'T' && b[10] != 't' && b[10] != ' ' {
		return noInstant
	}
	return c.timeOfDay(year, time.Month(month), day, b[11:], e)
}

// timeOfDay reads 13:55:36.123 -0700.
func (c clock) timeOfDay(year int, month time.Month, day int, b []byte, e *Entry) problem {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return noInstant
	}
	hour, ok1 := digits(b[0:2])
	minute, ok2 := digits(b[3:5])
	second, ok3 := digits(b[6:8])
	nanos, rest, whole := fraction(b[8:])
	zone, ok4 := c.zoneOf(bytes.TrimSpace(rest))
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return noInstant
	}
	if hour > 23 || minute > 59 || second > 60 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) {
		return noSuchDay
	}
	if year < 1970 || year > 2199 {
		return farInstant
	}
	if zone.loc != nil {
		e.At = time.Date(year, month, day, hour, minute, second, nanos, zone.loc).UTC()
	} else {
		e.At = time.Date(year, month, day, hour, minute, second-zone.offset, nanos, time.UTC)
	}
	if e.At.Unix() < 0 {
		return farInstant
	}
	e.Whole = whole
	return ""
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// fraction reads the decimals of a second, if there are any.
func fraction(b []byte) (nanos int, rest []byte, whole bool) {
	if len(b) == 0 || b[0] != '.' && b[0] != ',' {
		return 0, b, true
	}
	i := 1
	for scale := 100_000_000; i < len(b) && isDigit(b[i]); i++ {
		nanos += int(b[i]-'0') * scale
		scale /= 10
	}
	return nanos, b[i:], false
}

// An offset is how far a zone is ahead of UTC, in seconds, or the zone itself.
type offset struct {
	offset int
	loc    *time.Location
}

// zoneOf reads Z, UTC, +0200, +02:00, +02 or nothing.
func (c clock) zoneOf(b []byte) (offset, bool) {
	switch {
	case len(b) == 0:
		return offset{loc: c.zone}, true
	case len(b) == 1 && (b[0] == 'Z' || b[0] == 'z'), string(b) == "UTC", string(b) == "GMT":
		return offset{}, true
	case len(b) == 6 && b[3] == ':':
		b = []byte{b[0], b[1], b[2], b[4], b[5]}
	case len(b) == 3:
		b = []byte{b[0], b[1], b[2], '0', '0'}
	}
	if len(b) != 5 || b[0] != '+' && b[0] != '-' {
		return offset{}, false
	}
	hours, ok1 := digits(b[1:3])
	minutes, ok2 := digits(b[3:5])
	seconds := hours*3600 + minutes*60
	if b[0] == '-' {
		seconds = -seconds
	}
	return offset{offset: seconds}, ok1 && ok2 && hours < 24 && minutes < 60
}

func monthOf(b []byte) time.Month {
	const names = "JanFebMarAprMayJunJulAugSepOctNovDec"
	for m := range 12 {
		if names[3*m] == b[0] && names[3*m+1] == b[1] && names[3*m+2] == b[2] {
			return time.Month(m + 1)
		}
	}
	return 0
}

// number reads a number of units since the beginning.
func (c clock) number(b []byte, e *Entry) problem {
	if len(b) == 0 || len(b) > 40 || !isDigit(b[0]) && b[0] != '.' && b[0] != '-' && b[0] != '+' {
		return noInstant
	}
	whole, frac, ok := decimal(b)
	if !ok {
		return noInstant
	}
	unit := c.unit
	if unit == 0 {
		unit = unitOf(whole)
	}
	if whole < 0 || whole > lastInstant/int64(unit) {
		return farInstant
	}
	e.At = time.Unix(0, whole*int64(unit)+int64(math.Round(frac*float64(unit)))).UTC()
	e.Whole = unit == time.Second && frac == 0 && bytes.IndexByte(b, '.') < 0
	return ""
}

// unitOf goes by the size: each of the bounds is the year 5138 in one unit, and
// 1973 in the next.
func unitOf(n int64) time.Duration {
	switch {
	case n < 1e11:
		return time.Second
	case n < 1e14:
		return time.Millisecond
	case n < 1e17:
		return time.Microsecond
	}
	return time.Nanosecond
}

// decimal splits a number into its whole part, which is exact, and the rest. The
// whole part is -1 for all that is below zero.
func decimal(b []byte) (whole int64, frac float64, ok bool) {
	i := 0
	for ; i < len(b) && isDigit(b[i]); i++ {
		if whole > (longest-9)/10 {
			return longest, 0, true // too far, whatever the unit
		}
		whole = 10*whole + int64(b[i]-'0')
	}
	scale := 0.1
	rest := b[i:]
	if i > 0 && len(rest) > 0 && rest[0] == '.' {
		for rest = rest[1:]; len(rest) > 0 && isDigit(rest[0]); rest = rest[1:] {
			frac += scale * float64(rest[0]-'0')
			scale /= 10
		}
	}
	if i > 0 && len(rest) == 0 {
		return whole, frac, true
	}
	v, err := strconv.ParseFloat(string(b), 64) // a sign, an exponent, or no number
	if err != nil || math.IsNaN(v) {
		return 0, 0, false
	}
	down := math.Floor(v)
	switch {
	case down < 0:
		return -1, 0, true
	case down >= longest:
		return longest, 0, true
	}
	return int64(down), v - down, true
}

func digits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if !isDigit(c) {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

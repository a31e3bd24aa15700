package headers

import (
	"net/http"
	"strings"
	"time"
)

// readInstant reads a point in time written as text. A text without a zone is
// refused, since it could be off by hours.
func readInstant(s string) (time.Time, bool) {
	if len(s) < 16 || len(s) > 100 {
		return time.Time{}, false
	}
	if s[0] >= '0' && s[0] <= '9' {
		return readRFC3339(s)
	}
	if t, ok := readFixdate(s); ok {
		return t, true
	}
	return readOldDate(s)
}

// readFixdate reads the form of an HTTP-date that RFC 9110 prefers,
// "Sun, 06 Nov 1994 08:49:37 GMT". Go's time.RFC1123 prints UTC instead of
// GMT, so that is taken too.
func readFixdate(s string) (t time.Time, ok bool) {
	if len(s) != 29 || s[3:5] != ", " || s[7] != ' ' || s[11] != ' ' || s[16] != ' ' ||
		s[25:] != " GMT" && s[25:] != " UTC" {
		return t, false
	}
	month, ok := readMonth(s[8:11])
	if !ok {
		return t, false
	}
	return readClock(s[12:16], month, s[5:7], s[17:25], 0)
}

// readMonth reads the English abbreviation of a month.
func readMonth(s string) (uint64, bool) {
	at := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", s)
	return uint64(at/3) + 1, at >= 0 && at%3 == 0
}

// readClock joins the parts of a time in UTC and refuses what no calendar holds.
func readClock(year string, month uint64, dayText, clock string, nano uint64) (t time.Time, ok bool) {
	if len(clock) != 8 || clock[2] != ':' || clock[5] != ':' {
		return t, false
	}
	y, ok1 := readDigits(year, 4)
	d, ok2 := readDigits(dayText, 2)
	h, ok3 := readDigits(clock[:2], 2)
	m, ok4 := readDigits(clock[3:5], 2)
	s, ok5 := readDigits(clock[6:], 2)
	if !(ok1 && ok2 && ok3 && ok4 && ok5) || h > 23 || m > 59 || s > 60 || month < 1 || month > 12 {
		return t, false
	}
	s = min(s, 59) // a leap second
	t = time.Date(int(y), time.Month(month), int(d), int(h), int(m), int(s), int(nano), time.UTC)
	return t, t.Day() == int(d)
}

// readOldDate reads the rarer forms: the two obsolete ones of RFC 9110, RFC 1123
// with a numeric zone, JavaScript's Date.toString, and date(1) in UTC.
func readOldDate(s string) (time.Time, bool) {
	if t, err := http.ParseTime(s); err == nil {
		return t, true
	}
	s, _, _ = strings.Cut(s, " (") // JavaScript appends the name of its zone
	for _, layout := range [...]string{
		time.RFC1123Z,
		"Mon Jan 02 2006 15:04:05 GMT-0700",
		"Mon Jan _2 15:04:05 UTC 2006",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// readRFC3339 reads an RFC 3339 time, seconds and the colon of the offset
// optional, a space allowed for the T.
func readRFC3339(s string) (t time.Time, ok bool) {
	if len(s) < 17 || s[4] != '-' || s[7] != '-' || !strings.ContainsRune("Tt ", rune(s[10])) {
		return t, false
	}
	clock, rest := s[11:16]+":00", s[16:]
	if len(rest) > 3 && rest[0] == ':' {
		clock, rest = s[11:19], rest[3:]
	}
	nano, rest, ok := cutFraction(rest)
	if !ok {
		return t, false
	}
	offset, ok := readZone(strings.TrimPrefix(rest, " "))
	month, okMonth := readDigits(s[5:7], 2)
	if !ok || !okMonth {
		return t, false
	}
	t, ok = readClock(s[:4], month, s[8:10], clock, nano)
	return t.Add(-offset), ok
}

// cutFraction splits a fraction of a second off the front, if there is one.
func cutFraction(s string) (nano uint64, rest string, ok bool) {
	if s == "" || s[0] != '.' {
		return 0, s, true
	}
	digits := len(s) - 1 - len(strings.TrimLeft(s[1:], "0123456789"))
	n, ok := readNumber("0" + s[:digits+1])
	return n.nano, s[digits+1:], ok
}

// readZone reads Z, UTC, GMT or an offset from UTC.
func readZone(s string) (time.Duration, bool) {
	switch s {
	case "Z", "z", "UTC", "GMT":
		return 0, true
	}
	if len(s) == 6 && s[3] == ':' {
		s = s[:3] + s[4:]
	}
	if len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	h, ok := readDigits(s[1:3], 2)
	m, okMin := readDigits(s[3:], 2)
	if !ok || !okMin || h > 23 || m > 59 {
		return 0, false
	}
	offset := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}

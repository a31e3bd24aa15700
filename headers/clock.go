package headers

import (
	"cmp"
	"time"
)

// A clock turns what servers write about time into delays from now.
type clock struct {
	now      time.Time
	dateText string    // Date as sent, until it is needed
	date     time.Time // the server's own clock; zero if it sent none
}

// Bare numbers of these sizes are instants, whatever the name of the field.
const (
	epochSeconds = 1e9
	epochMillis  = 1e11
	epochEnd     = 1e14
)

// delay reads a reset or a Retry-After: a number, an instant, or a duration.
// unit is what a number counts, zero if the name of the field does not say.
func (c *clock) delay(s string, unit time.Duration) (time.Duration, bool) {
	if s == "" {
		return 0, false
	}
	if n, ok := readNumber(s); ok {
		return c.number(n, unit)
	}
	if t, ok := readInstant(s); ok {
		return c.until(t)
	}
	d, ok := readSpan(s)
	if !ok {
		d, ok = readColons(s)
	}
	return d, ok && d <= horizon
}

// number tells instants from delays by their size: nobody waits 30 years, and no
// server counts from 1970 to 1971.
func (c *clock) number(n number, unit time.Duration) (time.Duration, bool) {
	unit = cmp.Or(unit, time.Second)
	switch {
	case n.whole >= epochEnd:
		return 0, false
	case n.whole >= epochMillis:
		ms := int64(n.whole)
		return c.until(time.Unix(ms/1000, ms%1000*1e6+int64(n.nano/1000)))
	case n.whole >= epochSeconds && unit >= time.Second:
		return c.until(time.Unix(int64(n.whole), int64(n.nano)))
	}
	d := n.times(unit)
	return d, d <= horizon
}

// until measures from the server's own clock, so that a wrong one here does no
// harm, unless that gives nonsense. What has just passed is due now; what passed
// more than a day ago was never meant as a time to wait for.
func (c *clock) until(t time.Time) (time.Duration, bool) {
	if c.dateText != "" {
		c.date, _ = readInstant(c.dateText)
		c.dateText = ""
	}
	if !c.date.IsZero() {
		if d, ok := within(t.Sub(c.date)); ok {
			return d, true
		}
	}
	return within(t.Sub(c.now))
}

func within(d time.Duration) (time.Duration, bool) {
	if d < -day || d > horizon {
		return 0, false
	}
	return max(d, 0), true
}

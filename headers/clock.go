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

// number tells delays from instants by their size, whatever the name of the
// field: what is too long for a delay is a Unix time, in seconds or else in
// milliseconds, provided that it is one to wait for. The two do not overlap,
// since no clock shows the first year after 1970.
func (c *clock) number(n number, unit time.Duration) (time.Duration, bool) {
	if d := n.times(cmp.Or(unit, time.Second)); d <= horizon {
		return d, true
	}
	if d, ok := c.until(time.Unix(int64(n.whole), int64(n.nano))); ok {
		return d, true
	}
	return c.until(time.UnixMilli(int64(n.whole)).Add(time.Duration(n.nano / 1000)))
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

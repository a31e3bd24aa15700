package throttletest

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"time"
)

// A Config says what limit a server keeps, and what it tells about it. Only
// Rate is required.
type Config struct {
	// Rate is how many calls a second the server admits in the long run: a
	// number from 1e-9 to 1e9. The server keeps, and publishes, a fraction of
	// small whole numbers within a part in a billion of it: 25/18 for
	// 5000.0/3600.
	Rate float64

	// Burst is how many calls may come back to back from rest. Zero means 1.
	Burst int

	// Window is the time in which Rate is told by the dialects that publish a
	// quota and a window: an hour for 5000 calls an hour. It has to be whole
	// seconds in which Rate is a whole number of calls. It changes what is
	// published, not what is admitted. Zero means the shortest such time.
	Window time.Duration

	// Spent is how many calls of the burst are used up at the start, from zero
	// (the start is from rest) to Burst.
	Spent int

	// Dialect is the header fields that tell of the limit. Zero means IETF.
	Dialect Dialect

	// RetryAfter is how a refusal says when to come again. Zero means in whole
	// seconds.
	RetryAfter RetryAfter

	// Status is the status of a refusal, from 200 to 599. Zero means 429.
	Status int

	// Handler answers the calls that are admitted. The header fields are set
	// when it is called, and it may change them. Nil means status 200 and a
	// short text.
	Handler http.Handler

	// CountRefused makes a refused call cost what an admitted one does, as far
	// as the level goes: a client that keeps knocking waits for ever.
	CountRefused bool

	// Key names the budget of a call; each has the whole limit for itself. Nil
	// means one budget for all calls.
	Key func(*http.Request) string

	// Cost is how many calls a call counts as. One that costs more than Burst
	// is never admitted, one that costs nothing or less always. Nil means 1.
	Cost func(*http.Request) int
}

// A RetryAfter is a form of the Retry-After field of a refusal. A call that can
// never be admitted is refused without the field in any form.
type RetryAfter int

// The forms of Retry-After. Each names the instant from which the refused call
// is admitted, if no other comes before it.
const (
	RetryAfterSeconds RetryAfter = iota // whole seconds, rounded up (RFC 9110)
	RetryAfterExact                     // seconds with up to nine decimals, true to the nanosecond
	RetryAfterDate                      // an HTTP date, rounded up to the second (RFC 9110)
	RetryAfterNone                      // no Retry-After field
)

// A ConfigError says which field of a [Config] cannot be used, and why.
type ConfigError struct {
	Field  string // the name of the field
	Value  any    // what it holds
	Reason string // what it should hold
}

// Error names the field, its value and what is wrong with it.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("throttletest: Config.%s is %v: %s", e.Field, e.Value, e.Reason)
}

// filled returns c with defaults in the place of zero values.
func (c Config) filled() Config {
	c.Burst = cmp.Or(c.Burst, 1)
	c.Status = cmp.Or(c.Status, http.StatusTooManyRequests)
	if c.Handler == nil {
		c.Handler = Answer{Status: http.StatusOK, Body: "ok\n"}
	}
	if c.Key == nil {
		c.Key = func(*http.Request) string { return "" }
	}
	if c.Cost == nil {
		c.Cost = func(*http.Request) int { return 1 }
	}
	return c
}

// check finds what is wrong with the fields that stand for themselves; the
// rate, the burst and the window are looked at together, by newLimit.
func (c Config) check() error {
	switch {
	case c.Spent < 0 || c.Spent > c.Burst:
		return &ConfigError{"Spent", c.Spent, "want 0 to Burst"}
	case c.Dialect < IETF || c.Dialect > Nothing:
		return &ConfigError{"Dialect", int(c.Dialect), "no such dialect"}
	case c.RetryAfter < RetryAfterSeconds || c.RetryAfter > RetryAfterNone:
		return &ConfigError{"RetryAfter", int(c.RetryAfter), "no such form"}
	case c.Status < 200 || c.Status > 599:
		return &ConfigError{"Status", c.Status, "want 200 to 599"}
	}
	return nil
}

// newLimit turns a rate, a burst and a window, which may be zero, into whole
// numbers.
func newLimit(rate float64, burst int, window time.Duration) (limit, error) {
	if !(rate >= 1e-9 && rate <= 1e9) { // not a number fails too
		return limit{}, &ConfigError{"Rate", rate, "want a number from 1e-9 to 1e9"}
	}
	if burst < 1 {
		return limit{}, &ConfigError{"Burst", burst, "want at least 1"}
	}
	quota, seconds := fraction(rate)
	if window != 0 {
		seconds = int64(window / time.Second)
		whole := math.Round(rate * float64(seconds))
		if window < time.Second || window%time.Second != 0 || whole > 1e15-1 || !near(whole/float64(seconds), rate) {
			return limit{}, &ConfigError{"Window", window, "want whole seconds in which Rate is a whole number of calls"}
		}
		quota = int64(whole)
	}
	l := makeLimit(quota, seconds, int64(burst))
	if int64(burst) > math.MaxInt64/l.perCall {
		return limit{}, &ConfigError{"Burst", burst, "too large to count exactly at this Rate"}
	}
	return l, nil
}

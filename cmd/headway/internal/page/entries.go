package page

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// entries reads what was entered, and gathers all that is wrong with it. What
// was not entered is zero.
type entries struct {
	url.Values
	wrong faults
}

func (e *entries) text(field string) string { return strings.TrimSpace(e.Get(field)) }

func (e *entries) fault(field, format string, args ...any) {
	e.wrong = e.wrong.with(&fault{Field: field, Message: fmt.Sprintf(format, args...)})
}

// err is nil if nothing is wrong.
func (e *entries) err() error {
	if len(e.wrong) == 0 {
		return nil
	}
	return e.wrong
}

// span reads a length of time: 1m30s, or a number of seconds.
func (e *entries) span(field string) time.Duration {
	return e.spanFrom(field, 0, "a length of time")
}

// length reads one that cannot be zero, for zero would be taken for the default.
func (e *entries) length(field string) time.Duration {
	return e.spanFrom(field, 1, "a length of time above zero")
}

func (e *entries) spanFrom(field string, least sim.Seconds, want string) time.Duration {
	text := e.text(field)
	if text == "" {
		return 0
	}
	v, err := sim.ParseSpan(text)
	if err != nil || v < least {
		e.fault(field, "%.40q is not %s, such as 1m30s or 90", text, want)
	}
	return time.Duration(v)
}

// number reads a number from low to high.
func (e *entries) number(field string, low, high float64) float64 {
	text := e.text(field)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= low && v <= high) { // what is no number is neither
		e.fault(field, "%.40q is not a number from %v to %v", text, low, high)
		return 0
	}
	return v
}

// whole reads a whole number from low to high.
func (e *entries) whole(field string, low, high int) int {
	text := e.text(field)
	if text == "" {
		return 0
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < low || v > high {
		e.fault(field, "%.40q is not a whole number from %d to %d", text, low, high)
	}
	return v
}

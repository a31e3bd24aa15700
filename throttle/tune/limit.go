package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A Limit is a rate as it is advertised: so many calls in a window. It is a
// plain value.
type Limit struct {
	Count  int64
	Window time.Duration
}

// DefaultLimit stands for the zero Limit: 60 calls in a minute.
var DefaultLimit = Limit{60, time.Minute}

// Interval returns T, the time between two calls in the long run, rounded up to
// nanoseconds.
func (l Limit) Interval() time.Duration {
	t := l.Window / time.Duration(l.Count)
	if l.Window%time.Duration(l.Count) > 0 {
		t++
	}
	return t
}

// String returns it as UnmarshalText reads it.
func (l Limit) String() string { return fmt.Sprintf("%d/%s", l.Count, short(l.Window)) }

// short leaves out the parts of a duration that are zero.
func short(d time.Duration) string {
	text := d.String()
	if whole, ok := strings.CutSuffix(text, "m0s"); ok {
		text = whole + "m"
	}
	if whole, ok := strings.CutSuffix(text, "h0m"); ok {
		text = whole + "h"
	}
	return text
}

var errLimit = errors.New("tune: want a limit as 60/1m: calls from 1 up, and a window of up to 8760h that is no shorter than 1ns a call")

// UnmarshalText reads a limit such as 60/1m.
func (l *Limit) UnmarshalText(text []byte) error {
	count, window, found := strings.Cut(string(text), "/")
	n, err := strconv.ParseInt(count, 10, 64)
	if !found || err != nil {
		return errLimit
	}
	d, err := time.ParseDuration(window)
	if err != nil {
		return errLimit
	}
	read := Limit{n, d}
	if !read.isValid() {
		return errLimit
	}
	*l = read
	return nil
}

// isValid keeps T from being 0, and sums of T within 63 bits for long enough.
func (l Limit) isValid() bool {
	return l.Count >= 1 && l.Window > 0 && l.Window <= 8760*time.Hour && l.Count <= int64(l.Window)
}

// MarshalJSON writes an object with count, window_seconds and interval_seconds.
func (l Limit) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Count    int64 `json:"count"`
		Window   Span  `json:"window_seconds"`
		Interval Span  `json:"interval_seconds"`
	}{l.Count, Span(l.Window), Span(l.Interval())})
}

// A Span is a length of time that is a number of seconds in JSON.
type Span time.Duration

// MarshalJSON writes a number of seconds.
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(s).Seconds()) }

// String returns it as a [time.Duration] does.
func (s Span) String() string { return time.Duration(s).String() }

// times returns n*d, at most the longest span there is. Neither may be negative.
func times(n int64, d time.Duration) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(d))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// plus returns a+b, at most the largest number there is. b may not be negative.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

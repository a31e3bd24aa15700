package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Spec is a model of a limit and its parameters, in plain values. Zero, or
// nil, is a parameter that is not given; each is used by the models that
// [Models] lists it for, and passed over by others.
//
// Where a model's own parameters are not given, they follow from Bucket and
// Refill, so that one pair says the same limit to all models: T is 1/Refill,
// Tau is (Bucket − 1)·T, Limit is Bucket, and Window is Limit/Refill.
type Spec struct {
	Model string `json:"model"` // a name of Models; empty is token-bucket

	Bucket Units   `json:"bucket,omitzero"` // how much it holds
	Refill float64 `json:"refill,omitzero"` // units per second
	Start  *Units  `json:"start,omitzero"`  // units there at time 0; nil is all it holds

	T   Seconds  `json:"t,omitzero"`   // the emission interval
	Tau *Seconds `json:"tau,omitzero"` // the tolerance: GCRA refuses what comes before TAT − τ

	Limit  Units   `json:"limit,omitzero"`  // units in a window
	Window Seconds `json:"window,omitzero"` // how long it is

	Tick Seconds `json:"tick,omitzero"` // from one refill to the next; 0 is one unit at a time

	CountRefused bool `json:"count_refused,omitzero"` // refused calls use up units as well
	Servers      int  `json:"servers,omitzero"`       // that share the limit, taken in turn; 0 is 1
}

// A Model is a kind of limit that a [Spec] can name.
type Model struct {
	Name  string
	About string
	Keys  []string // of the parameters that it has, as ParseSpec and JSON write them

	build func(Spec) (*server, error)
}

const tokenBucket = "token-bucket"

// Models returns all models, the commonest first. Every model also has the
// parameters start, count_refused and servers.
func Models() []Model {
	return []Model{
		{tokenBucket, "refills continuously; a call is allowed if all its cost is there", []string{"bucket", "refill"}, buildTokenBucket},
		{"gcra", "one theoretical arrival time; a call may come τ before it. Bursts of 1 + τ/T", []string{"t", "tau", "bucket", "refill"}, buildGCRA},
		{"ticks", "a bucket that gets whole tokens: one each 1/refill, or refill·tick each tick", []string{"bucket", "refill", "tick"}, buildTicks},
		{"leaky-bucket", "a call pours in its cost, which leaks out; refused if it would overflow", []string{"bucket", "refill"}, buildLeakyBucket},
		{"fixed-window", "so many in each window from time 0 on: up to twice that around its end", []string{"limit", "window", "bucket", "refill"}, buildFixedWindow},
		{"sliding-log", "remembers each call: so many in any window whatever", []string{"limit", "window", "bucket", "refill"}, buildSlidingLog},
		{"sliding-counter", "estimates any window from the counts of this one and the last", []string{"limit", "window", "bucket", "refill"}, buildSlidingCounter},
	}
}

// common are the keys that every model has.
var common = []string{"start", "count_refused", "servers"}

// model returns the one that the Spec names.
func (s Spec) model() (Model, error) {
	var names []string
	for _, m := range Models() {
		if m.Name == s.Model || s.Model == "" && m.Name == tokenBucket {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Model{}, s.wrong("model", "there is no %.40q: want one of %s", s.Model, strings.Join(names, ", "))
}

// Name returns the name of the model.
func (s Spec) Name() string {
	if s.Model == "" {
		return tokenBucket
	}
	return s.Model
}

// A SpecError says which parameter of a [Spec] makes no sense, and why.
type SpecError struct {
	Index   int    // of the Spec among those of a run, from 0
	Model   string // its name
	Field   string // the key of the parameter, such as "tau", or "model"
	Problem string // such as "-1 is negative"
}

func (e *SpecError) Error() string {
	return fmt.Sprintf("sim: %s: %s: %s", e.Model, e.Field, e.Problem)
}

func (s Spec) wrong(field, format string, args ...any) error {
	return &SpecError{Model: s.Name(), Field: field, Problem: fmt.Sprintf(format, args...)}
}

// Validate returns nil, or a [*SpecError].
func (s Spec) Validate() error {
	_, err := s.build()
	return err
}

// The bounds on parameters: what the models can count, and 10 years.
const (
	maxUnits = 1e12 * One
	maxSpan  = Seconds(10 * 365 * 24 * time.Hour)
	maxRate  = 1e9
	minRate  = 1e-9
)

// check looks at the parameters that are given, each by itself.
func (s Spec) check() error {
	for _, u := range []struct {
		field string
		value Units
	}{{"bucket", s.Bucket}, {"limit", s.Limit}} {
		if u.value < 0 || u.value > maxUnits {
			return s.wrong(u.field, "%v is not from 0.001 to %v", u.value, maxUnits)
		}
	}
	for _, d := range []struct {
		field string
		value Seconds
	}{{"t", s.T}, {"window", s.Window}, {"tick", s.Tick}, {"tau", s.tau(0)}} {
		if d.value < 0 || d.value > maxSpan {
			return s.wrong(d.field, "%v s is negative, or longer than 10 years", d.value)
		}
	}
	if s.Refill != 0 && !(s.Refill >= minRate && s.Refill <= maxRate) { // NaN is neither
		return s.wrong("refill", "%v is not from %v to %v per second", s.Refill, minRate, maxRate)
	}
	if s.Servers < 0 || s.Servers > 1000 {
		return s.wrong("servers", "%d is not from 1 to 1000", s.Servers)
	}
	return nil
}

// needBucket returns what a bucket cannot do without.
func (s Spec) needBucket() (bucket Units, refill float64, err error) {
	switch {
	case s.Bucket == 0:
		return 0, 0, s.wrong("bucket", "is missing: want how many tokens it holds")
	case s.Refill == 0:
		return 0, 0, s.wrong("refill", "is missing: want tokens per second")
	}
	return s.Bucket, s.Refill, nil
}

// interval is T, in whole nanoseconds rounded up.
func (s Spec) interval() (time.Duration, error) {
	if s.T == 0 && s.Refill == 0 {
		return 0, s.wrong("t", "is missing: want the emission interval, or a refill")
	}
	if s.T == 0 {
		return perUnit(s.Refill), nil
	}
	return time.Duration(s.T), nil
}

// tau returns Tau, or a default.
func (s Spec) tau(other Seconds) Seconds {
	if s.Tau == nil {
		return other
	}
	return *s.Tau
}

func (s Spec) tolerance(interval time.Duration) (time.Duration, error) {
	if s.Tau != nil {
		return time.Duration(*s.Tau), nil
	}
	if s.Bucket < One {
		return 0, s.wrong("tau", "is missing: want the tolerance, or a bucket of 1 or more")
	}
	tau := mulDivUp(int64(s.Bucket-One), int64(interval), int64(One)) // or a call that costs all of the bucket would never go
	if tau > int64(maxSpan) {
		return 0, s.wrong("tau", "(bucket − 1)·T is longer than 10 years")
	}
	return time.Duration(tau), nil
}

// window returns how many units go in how long.
func (s Spec) window() (limit int64, window time.Duration, err error) {
	units := s.Limit
	if units == 0 {
		units = s.Bucket
	}
	switch {
	case units == 0:
		return 0, 0, s.wrong("limit", "is missing: want how many go in a window, or a bucket")
	case units%One != 0:
		return 0, 0, s.wrong("limit", "%v is not whole", units)
	case s.Window > 0:
		return int64(units / One), time.Duration(s.Window), nil
	case s.Refill == 0:
		return 0, 0, s.wrong("window", "is missing: want how long it is, or a refill")
	}
	length := units.Float() / s.Refill * float64(time.Second)
	if length > float64(maxSpan) || length < 1 {
		return 0, 0, s.wrong("window", "limit/refill is not from a nanosecond to 10 years")
	}
	return int64(units / One), time.Duration(length + 0.5), nil
}

// has reports whether a model has a parameter.
func (m Model) has(key string) bool {
	return slices.Contains(m.Keys, key) || slices.Contains(common, key)
}

package simulate

import (
	"fmt"
	"math"
	"time"
)

// A ParamError reports a parameter that a model cannot work with.
type ParamError struct {
	Model string // what was to be made, such as "token bucket"
	Field string // the parameter, such as "size"
	Value any    // what was given
	Want  string // what would do, such as "at least 1"
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("simulate: %s: %s %v, want %s", e.Model, e.Field, e.Value, e.Want)
}

// An ArrivalError reports an entry of a list of arrivals that cannot be
// replayed.
type ArrivalError struct {
	Index int    // of the entry, from 0
	Field string // "at" or "cost"
	Arrival
	Want string // what would do
}

func (e *ArrivalError) Error() string {
	return fmt.Sprintf("simulate: arrival %d: %s of %v costing %d, want %s", e.Index, e.Field, e.At, e.Cost, e.Want)
}

// The bounds on parameters keep the products of the models within 62 bits:
// a span of 36 years, 2^53 units (which a float64 still counts one by one).
const (
	maxSpan  = time.Duration(1 << 60)
	maxUnits = int64(1 << 53)
)

func checkUnits(model, field string, n int64) error {
	if n < 1 || n > maxUnits {
		return &ParamError{Model: model, Field: field, Value: n, Want: "1 to 2^53"}
	}
	return nil
}

func checkSpan(model, field string, d, low time.Duration) error {
	if d < low || d > maxSpan {
		return &ParamError{Model: model, Field: field, Value: d, Want: fmt.Sprintf("%v to %v", low, maxSpan)}
	}
	return nil
}

// checkFloat refuses NaN too, for which no comparison holds.
func checkFloat(model, field string, x, low, high float64) error {
	if x >= low && x <= high {
		return nil
	}
	want := fmt.Sprintf("%v to %v", low, high)
	if math.IsInf(high, 1) {
		want = fmt.Sprintf("at least %v and finite", low)
	}
	return &ParamError{Model: model, Field: field, Value: x, Want: want}
}

// checkRate accepts up to one unit a nanosecond, the finest step of our time.
func checkRate(model string, r Rate) error {
	if err := checkUnits(model, "count", r.Count); err != nil {
		return err
	}
	if err := checkSpan(model, "per", r.Per, 1); err != nil {
		return err
	}
	if r.Count > int64(r.Per) {
		return &ParamError{Model: model, Field: "count", Value: r.Count, Want: "at most one a nanosecond"}
	}
	return nil
}

// checkBucket also wants size*Per to fit, the unit in which levels are kept.
func checkBucket(model string, r Rate, size int64) error {
	if err := checkRate(model, r); err != nil {
		return err
	}
	if err := checkUnits(model, "size", size); err != nil {
		return err
	}
	if size > 1<<61/int64(r.Per) {
		return &ParamError{Model: model, Field: "size", Value: size, Want: fmt.Sprintf("at most %d with this per", 1<<61/int64(r.Per))}
	}
	return nil
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

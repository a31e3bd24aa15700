package transport

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
)

// A ConfigError reports a field of a [Transport] that makes no sense.
type ConfigError struct {
	Field string // for instance "Limits"
	Entry string // the pattern or the host within Field; empty where there is none
	Err   error  // what is wrong; often a *throttle.FieldError
}

func (e *ConfigError) Error() string {
	at := e.Field
	if e.Entry != "" || e.Field == "Limits" {
		at += "[" + strconv.Quote(e.Entry) + "]"
	}
	if fe, ok := errors.AsType[*throttle.FieldError](e.Err); ok {
		return fmt.Sprintf("transport: %s: %s: %s %s", at, fe.Field, fe.Value, fe.Problem)
	}
	return fmt.Sprintf("transport: %s: %v", at, e.Err)
}

// Unwrap returns Err.
func (e *ConfigError) Unwrap() error { return e.Err }

// Validate reports what is wrong with the fields, as a *[ConfigError], or nil.
// Without it the first call tells.
func (t *Transport) Validate() error {
	if err := t.validateFields(); err != nil {
		return err
	}
	_, err := t.Limits.compile()
	return err
}

func (t *Transport) validateFields() error {
	for field, n := range map[string]int{
		"MaxAttempts":   t.MaxAttempts,
		"MaxConcurrent": t.MaxConcurrent,
		"MaxQueue":      t.MaxQueue,
		"MaxKeys":       t.MaxKeys,
	} {
		if n < 0 {
			return &ConfigError{Field: field, Err: fmt.Errorf("%d must not be negative", n)}
		}
	}
	if math.IsNaN(t.RetryBudget) || t.RetryBudget > 1000 {
		return &ConfigError{Field: "RetryBudget", Err: fmt.Errorf("%v makes no sense", t.RetryBudget)}
	}
	if math.IsNaN(t.Spread) || t.Spread > 1 {
		return &ConfigError{Field: "Spread", Err: fmt.Errorf("%v must not be above 1", t.Spread)}
	}
	if err := t.Backoff.Validate(); err != nil {
		return &ConfigError{Field: "Backoff", Err: err}
	}
	for _, host := range slices.Sorted(maps.Keys(t.Overrides)) {
		if err := validateOverride(host, t.Overrides[host]); err != nil {
			return &ConfigError{Field: "Overrides", Entry: host, Err: err}
		}
	}
	return nil
}

func validateOverride(host string, o headers.Overrides) error {
	switch {
	case host == "" || host != lower(host) || strings.ContainsAny(host, "/ ") || strings.Count(host, ":") == 1:
		return errors.New("not a host in lower case, without a port")
	case o.ResetUnit < 0:
		return fmt.Errorf("a ResetUnit of %v is negative", o.ResetUnit)
	case o.Window < 0:
		return fmt.Errorf("a Window of %v is negative", o.Window)
	case o.Burst.OK && !(o.Burst.V >= 0 && o.Burst.V <= 1e15):
		return fmt.Errorf("a Burst of %v makes no sense", o.Burst.V)
	}
	return nil
}

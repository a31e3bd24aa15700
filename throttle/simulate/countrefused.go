package simulate

import "time"

// A CountRefused server counts the calls that it refuses as well: who keeps
// calling an empty bucket keeps it empty.
type CountRefused struct {
	Charger // must not be nil
}

// Arrive implements [Server].
func (c CountRefused) Arrive(at time.Duration, cost int64) Verdict {
	v := c.Charger.Arrive(at, cost)
	if v.Admitted || v.RetryAt == Never {
		return v
	}
	c.Charge(at, cost)
	after := c.Charger.Peek(at, cost)
	return Verdict{Before: v.Before, Left: after.Before, RetryAt: after.RetryAt, ResetAt: after.ResetAt}
}

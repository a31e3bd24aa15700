package simulate

import "time"

// A Departer is a Server that wants to know when an admitted call ends.
type Departer interface {
	// Depart gives back what a call of this cost held.
	Depart(at time.Duration, cost int64)
}

// A Concurrency limits the calls in flight. It must be told when they end.
type Concurrency struct {
	limit, used int64
	last        time.Duration
}

// NewConcurrency returns a limit of so many units in flight.
func NewConcurrency(limit int64) (*Concurrency, error) {
	if err := checkUnits("concurrency", "limit", limit); err != nil {
		return nil, err
	}
	return &Concurrency{limit: limit}, nil
}

// Arrive implements [Server]. RetryAt is Unknown where a call has to end first.
func (c *Concurrency) Arrive(at time.Duration, cost int64) Verdict {
	c.last, cost = clampArrival(at, c.last, cost)
	v := Verdict{Before: float64(c.limit - c.used), RetryAt: c.last, ResetAt: Unknown}
	switch {
	case cost > c.limit:
		v.RetryAt = Never
	case cost > c.limit-c.used:
		v.RetryAt = Unknown
	default:
		c.used += cost
		v.Admitted = true
	}
	v.Left = float64(c.limit - c.used)
	return v
}

// Peek implements [Server].
func (c *Concurrency) Peek(at time.Duration, cost int64) Verdict {
	copied := *c
	return copied.Arrive(at, cost)
}

// Depart implements [Departer].
func (c *Concurrency) Depart(at time.Duration, cost int64) {
	c.last, cost = clampArrival(at, c.last, cost)
	c.used -= min(c.used, cost)
}

// Policy implements [Server]. It has no rate.
func (c *Concurrency) Policy() Policy { return Policy{Burst: c.limit} }

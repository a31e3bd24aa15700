package simulate

import (
	"fmt"
	"slices"
	"time"
)

// An Adjustable server can be given another limit while it runs.
type Adjustable interface {
	Charger

	// Fits returns a [*ParamError] if the server cannot take on the policy.
	Fits(p Policy) error

	// Clone returns a copy that shares nothing.
	Clone() Adjustable

	// Adjust puts the policy in force from at on, or returns the error of
	// Fits. The level is kept in units, cut to the new size where that is
	// less: nobody gains or loses a burst by the change.
	Adjust(at time.Duration, p Policy) error
}

// A Change puts another policy in force.
type Change struct {
	At     time.Duration
	Policy Policy
}

// A Changing server has a limit that changes at given instants. A RetryAt does
// not foresee the changes to come, as that of a real server does not.
type Changing struct {
	server  Adjustable
	changes []Change // those to come, in order
}

// NewChanging returns server with changes to come. They must be in order, and
// fit the server; else it returns a [*ParamError].
func NewChanging(server Adjustable, changes ...Change) (*Changing, error) {
	if server == nil {
		return nil, &ParamError{Model: "changing", Field: "server", Value: nil, Want: "a server"}
	}
	var last time.Duration
	for i, c := range changes {
		if c.At < last || c.At > Horizon {
			return nil, &ParamError{Model: "changing", Field: fmt.Sprintf("change %d at", i), Value: c.At, Want: "no earlier than the one before"}
		}
		if err := server.Fits(c.Policy); err != nil {
			return nil, err
		}
		last = c.At
	}
	return &Changing{server: server, changes: slices.Clone(changes)}, nil
}

// due returns how many changes come into force by at.
func (c *Changing) due(at time.Duration) int {
	n := 0
	for n < len(c.changes) && c.changes[n].At <= at {
		n++
	}
	return n
}

func (c *Changing) catchUp(at time.Duration) {
	n := c.due(at)
	adjust(c.server, c.changes[:n])
	c.changes = c.changes[n:]
}

func adjust(server Adjustable, changes []Change) {
	for _, c := range changes {
		// NewChanging has asked whether it fits.
		_ = server.Adjust(c.At, c.Policy)
	}
}

// Arrive implements [Server].
func (c *Changing) Arrive(at time.Duration, cost int64) Verdict {
	c.catchUp(at)
	return c.server.Arrive(at, cost)
}

// Peek implements [Server], under the limit in force at that instant.
func (c *Changing) Peek(at time.Duration, cost int64) Verdict {
	n := c.due(at)
	if n == 0 {
		return c.server.Peek(at, cost)
	}
	ahead := c.server.Clone()
	adjust(ahead, c.changes[:n])
	return ahead.Peek(at, cost)
}

// Charge implements [Charger].
func (c *Changing) Charge(at time.Duration, cost int64) {
	c.catchUp(at)
	c.server.Charge(at, cost)
}

// Policy implements [Server]: the limit in force at the last arrival.
func (c *Changing) Policy() Policy { return c.server.Policy() }

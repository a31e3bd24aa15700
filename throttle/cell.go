package throttle

import (
	"math"
	"sync/atomic"
)

// A cell is one limit at work: its parameters, which never change, and TAT.
//
// While nobody waits, TAT is moved by compare-and-swap alone. Whoever holds the
// budget's mutex may take TAT out of reach of that fast path by swapping in
// held; the fast path then has to take the mutex as well. A cell whose limit
// was replaced stays held for ever, so that no call is charged to the past.
type cell struct {
	gcra
	scope *scope // that it is of; nil for one set by hand
	tat   atomic.Int64

	// late is how much later than it went a call may come to the server. One
	// that finds the limit at rest is taken to come that late, until its answer
	// says when it did: the server counts from when it came.
	late atomic.Int64

	// Guarded by the budget's mutex.
	isHeld  bool
	value   int64 // TAT while isHeld
	unbegun bool  // held until the first call, whose limit does not start full
	share   share
	asked   bool   // its end is past, and a call has gone to ask what holds now
	lease   *lease // of the budget's store; nil if the limit is not kept there
}

const held = math.MaxInt64

func newCell(l Limit) *cell {
	c := &cell{gcra: newGCRA(l)}
	c.tat.Store(fresh)
	return c
}

type verdict int

const (
	slow   verdict = iota // take the mutex and look again
	goes                  // charged: it may go
	waits                 // not yet
	denied                // never
)

// take charges a call of n at instant at, if it conforms and nobody holds the
// cell.
func (c *cell) take(at int64, n int) verdict {
	if c.endless {
		return goes
	}
	inc := c.cost(n)
	for {
		tat := c.tat.Load()
		switch {
		case tat == held:
			return slow
		case n > c.limit.Burst || c.stopped || at >= c.end:
			return slow
		case c.earliest(tat, inc) > at:
			return waits
		}
		if c.tat.CompareAndSwap(tat, c.after(tat, at+c.late.Load(), inc)) {
			return goes
		}
	}
}

// unlimited stands for the limit of whoever has none.
var unlimited = &cell{gcra: gcra{endless: true}}

// bounded is due, unless the cell says nothing of that time: at its end one
// call may ask what holds then, and the others wait for its answer.
func (c *cell) bounded(due int64) int64 {
	switch {
	case c.end == far:
		return due
	case c.asked:
		return c.end + staleAfter
	}
	return min(due, c.end)
}

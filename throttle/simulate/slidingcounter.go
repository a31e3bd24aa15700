package simulate

import (
	"math/bits"
	"time"
)

// A SlidingCounter estimates a sliding window from two counters: what this
// window has, and what the last one had, as if it had come evenly.
type SlidingCounter struct {
	rate      Rate
	prev, cur int64
	start     time.Duration // of the current window
	last      time.Duration
}

// NewSlidingCounter returns a counter of windows of rate.Per from time 0 that
// admits a call while the estimate is at most rate.Count with it.
func NewSlidingCounter(rate Rate) (*SlidingCounter, error) {
	if err := checkRate("sliding counter", rate); err != nil {
		return nil, err
	}
	return &SlidingCounter{rate: rate}, nil
}

func (c *SlidingCounter) turn(at time.Duration) {
	c.last, _ = clampArrival(at, c.last, 1)
	age := c.last - c.start
	if age < c.rate.Per {
		return
	}
	c.prev, c.cur = c.cur, 0
	if age >= 2*c.rate.Per {
		c.prev = 0
	}
	c.start += age - age%c.rate.Per
}

// room reports whether n units of the last window still count for at most free
// ones, age into this one: n*(Per-age) <= free*Per.
func (c *SlidingCounter) room(n, free int64, age time.Duration) bool {
	if free < 0 {
		return false
	}
	hi, lo := bits.Mul64(uint64(n), uint64(c.rate.Per-age))
	freeHi, freeLo := bits.Mul64(uint64(free), uint64(c.rate.Per))
	return hi < freeHi || hi == freeHi && lo <= freeLo
}

// wait returns how far into a window n units of the one before count for at
// most free ones.
func (c *SlidingCounter) wait(n, free int64) time.Duration {
	if n <= free {
		return 0
	}
	return c.rate.Per - time.Duration(mulDiv(free, int64(c.rate.Per), n))
}

// retry returns when a cost that was refused will be admitted. The estimate
// falls without a jump: where a window ends, its whole count is that of the
// window before.
func (c *SlidingCounter) retry(cost int64) time.Duration {
	free := c.rate.Count - cost
	if c.cur <= free {
		return c.start + c.wait(c.prev, free-c.cur)
	}
	return c.start + c.rate.Per + c.wait(c.cur, free)
}

// Arrive implements [Server].
func (c *SlidingCounter) Arrive(at time.Duration, cost int64) Verdict {
	c.turn(at)
	cost = max(cost, 1)
	v := Verdict{Before: c.left(), RetryAt: c.last}
	switch {
	case cost > c.rate.Count:
		v.RetryAt = Never
	case !c.room(c.prev, c.rate.Count-cost-c.cur, c.last-c.start):
		v.RetryAt = c.retry(cost)
	default:
		c.cur += cost
		v.Admitted = true
	}
	v.Left = c.left()
	v.ResetAt = c.start + c.rate.Per
	return v
}

func (c *SlidingCounter) left() float64 {
	share := float64(c.rate.Per-(c.last-c.start)) / float64(c.rate.Per)
	return max(float64(c.rate.Count-c.cur)-float64(c.prev)*share, 0)
}

// Peek implements [Server].
func (c *SlidingCounter) Peek(at time.Duration, cost int64) Verdict {
	copied := *c
	return copied.Arrive(at, cost)
}

// Charge implements [Charger].
func (c *SlidingCounter) Charge(at time.Duration, cost int64) {
	c.turn(at)
	c.cur = min(c.cur+min(max(cost, 1), maxUnits), maxUnits)
}

// Policy implements [Server].
func (c *SlidingCounter) Policy() Policy { return Policy{Rate: c.rate, Burst: c.rate.Count} }

// Fits implements [Adjustable]. The window's length is fixed.
func (c *SlidingCounter) Fits(p Policy) error { return fitsWindow("sliding counter", p, c.rate.Per) }

// Clone implements [Adjustable].
func (c *SlidingCounter) Clone() Adjustable {
	copied := *c
	return &copied
}

// Adjust implements [Adjustable]. What was counted stays counted.
func (c *SlidingCounter) Adjust(at time.Duration, p Policy) error {
	if err := c.Fits(p); err != nil {
		return err
	}
	c.turn(at)
	c.rate = p.Rate
	return nil
}

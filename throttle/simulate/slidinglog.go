package simulate

import (
	"slices"
	"time"
)

// A SlidingLog remembers every unit that it admitted for one window, so that no
// window whatever holds more than the count.
type SlidingLog struct {
	rate Rate
	last time.Duration

	// The log is a ring, oldest unit at head. It never holds more than the
	// highest count there was: units beyond that decide nothing.
	ring       []time.Duration
	head, used int
	most       int64
}

// maxLog bounds the memory of a log to half a gigabyte.
const maxLog = 1 << 26

// NewSlidingLog returns a log that admits rate.Count units in any rate.Per. It
// keeps 8 bytes a unit.
func NewSlidingLog(rate Rate) (*SlidingLog, error) {
	l := &SlidingLog{rate: rate, most: rate.Count}
	if err := l.check(rate); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *SlidingLog) check(rate Rate) error {
	if err := checkRate("sliding log", rate); err != nil {
		return err
	}
	if rate.Count > maxLog {
		return &ParamError{Model: "sliding log", Field: "count", Value: rate.Count, Want: "at most 2^26"}
	}
	return nil
}

// expire drops the units that are a window old.
func (l *SlidingLog) expire(at time.Duration) {
	l.last, _ = clampArrival(at, l.last, 1)
	for l.used > 0 && l.ring[l.head] <= l.last-l.rate.Per {
		l.drop()
	}
}

func (l *SlidingLog) drop() {
	l.used--
	if l.head++; l.head == len(l.ring) {
		l.head = 0
	}
}

// Arrive implements [Server].
func (l *SlidingLog) Arrive(at time.Duration, cost int64) Verdict {
	v := l.Peek(at, cost)
	l.expire(at)
	if v.Admitted {
		l.push(max(cost, 1))
	}
	return v
}

// Peek implements [Server].
func (l *SlidingLog) Peek(at time.Duration, cost int64) Verdict {
	c := *l // shares the ring, but only reads it
	c.expire(at)
	cost = max(cost, 1)
	v := Verdict{Before: float64(max(c.rate.Count-int64(c.used), 0)), RetryAt: c.last}
	v.Left = v.Before
	switch over := int64(c.used) - (c.rate.Count - cost); {
	case cost > c.rate.Count:
		v.RetryAt = Never
	case over > 0:
		v.RetryAt = c.at(int(over)-1) + c.rate.Per
	default:
		v.Admitted = true
		v.Left -= float64(cost)
	}
	v.ResetAt = c.last
	if c.used > 0 {
		v.ResetAt = c.at(0) + c.rate.Per
	} else if v.Admitted {
		v.ResetAt = c.last + c.rate.Per
	}
	return v
}

// at returns the i-th oldest unit.
func (l *SlidingLog) at(i int) time.Duration {
	if i += l.head; i >= len(l.ring) {
		i -= len(l.ring)
	}
	return l.ring[i]
}

// push logs n units at the last instant.
func (l *SlidingLog) push(n int64) {
	for range min(n, l.most) {
		switch {
		case int64(l.used) == l.most:
			l.drop()
		case l.used == len(l.ring):
			l.grow()
		}
		i := l.head + l.used
		if i >= len(l.ring) {
			i -= len(l.ring)
		}
		l.ring[i] = l.last
		l.used++
	}
}

func (l *SlidingLog) grow() {
	ring := make([]time.Duration, min(max(16, 2*len(l.ring)), int(l.most)))
	n := copy(ring, l.ring[l.head:])
	copy(ring[n:], l.ring[:l.head])
	l.ring, l.head = ring, 0
}

// Charge implements [Charger].
func (l *SlidingLog) Charge(at time.Duration, cost int64) {
	l.expire(at)
	l.push(max(cost, 1))
}

// Policy implements [Server].
func (l *SlidingLog) Policy() Policy { return Policy{Rate: l.rate, Burst: l.rate.Count} }

// Fits implements [Adjustable]. The window's length is fixed.
func (l *SlidingLog) Fits(p Policy) error {
	return firstError(fitsWindow("sliding log", p, l.rate.Per), l.check(p.Rate))
}

// Clone implements [Adjustable].
func (l *SlidingLog) Clone() Adjustable {
	copied := *l
	copied.ring = slices.Clone(l.ring)
	return &copied
}

// Adjust implements [Adjustable]. What is in the log stays.
func (l *SlidingLog) Adjust(at time.Duration, p Policy) error {
	if err := l.Fits(p); err != nil {
		return err
	}
	l.expire(at)
	l.rate = p.Rate
	l.most = max(l.most, p.Rate.Count)
	return nil
}

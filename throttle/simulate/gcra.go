package simulate

import "time"

// A GCRA is the generic cell rate algorithm of ITU-T I.371: one theoretical
// arrival time, and a call conforms unless it comes more than the tolerance
// before it.
type GCRA struct {
	interval, tolerance time.Duration
	burst               int64 // the highest cost that is ever admitted

	last, tat time.Duration
}

// NewGCRA returns a GCRA that takes one unit an interval, and lets
// 1 + tolerance/interval calls go back to back from rest.
// A bucket of b calls has the tolerance (b-1)*interval.
func NewGCRA(interval, tolerance time.Duration) (*GCRA, error) {
	err := firstError(
		checkSpan("GCRA", "interval", interval, 1),
		checkSpan("GCRA", "tolerance", tolerance, 0),
	)
	if err != nil {
		return nil, err
	}
	g := &GCRA{}
	g.set(interval, tolerance)
	return g, nil
}

func (g *GCRA) set(interval, tolerance time.Duration) {
	g.interval, g.tolerance = interval, tolerance
	g.burst = 1 + int64(tolerance/interval)
}

// Arrive implements [Server].
func (g *GCRA) Arrive(at time.Duration, cost int64) Verdict {
	at, cost = clampArrival(at, g.last, cost)
	g.last = at
	tat := max(g.tat, at)
	v := Verdict{Before: g.level(tat - at), RetryAt: at, ResetAt: tat}
	v.Left = v.Before
	if cost > g.burst {
		v.RetryAt = Never
		return v
	}
	span := time.Duration(cost) * g.interval
	if early := tat - (g.interval + g.tolerance - span); early > at {
		v.RetryAt = early
		return v
	}
	g.tat = tat + span
	v.Admitted = true
	v.Left = g.level(g.tat - at)
	v.ResetAt = g.tat
	return v
}

// level returns the units left when the schedule is a debt ahead of now. It is
// a fraction only for show: no decision rests on it.
func (g *GCRA) level(debt time.Duration) float64 {
	return float64(g.tolerance+g.interval-debt) / float64(g.interval)
}

// Peek implements [Server].
func (g *GCRA) Peek(at time.Duration, cost int64) Verdict {
	copied := *g
	return copied.Arrive(at, cost)
}

// Charge implements [Charger].
func (g *GCRA) Charge(at time.Duration, cost int64) {
	at, cost = clampArrival(at, g.last, cost)
	g.last = at
	span := time.Duration(mulCap(cost, int64(g.interval), int64(g.interval+g.tolerance)))
	g.tat = min(max(g.tat, at)+span, at+g.interval+g.tolerance)
}

// Policy implements [Server].
func (g *GCRA) Policy() Policy {
	return Policy{Rate: Rate{Count: 1, Per: g.interval}, Burst: g.burst}
}

// Fits implements [Adjustable].
func (g *GCRA) Fits(p Policy) error { return checkBucket("GCRA", p.Rate, p.Burst) }

// Clone implements [Adjustable].
func (g *GCRA) Clone() Adjustable {
	copied := *g
	return &copied
}

// Adjust implements [Adjustable]. The interval is rounded up to nanoseconds.
func (g *GCRA) Adjust(at time.Duration, p Policy) error {
	if err := g.Fits(p); err != nil {
		return err
	}
	at, _ = clampArrival(at, g.last, 1)
	g.last = at
	level := int64(g.interval + g.tolerance - (max(g.tat, at) - at))
	old := int64(g.interval)
	interval := time.Duration(divUp(int64(p.Rate.Per), p.Rate.Count))
	g.set(interval, time.Duration(p.Burst-1)*interval)
	full := interval + g.tolerance
	g.tat = at + full - min(full, time.Duration(mulDiv(level, int64(interval), old)))
	return nil
}

package throttle

import (
	"math"

	"golang.org/x/time/rate"
)

// A gcra is the generic cell rate algorithm of ITU-T I.371 for one limit, in
// integer nanoseconds: everything but its one word of state, the theoretical
// arrival time (TAT). It is immutable, and its steps are pure.
type gcra struct {
	limit    Limit
	most     int   // no call costs more
	interval int64 // T, the emission interval of a call of cost 1
	window   int64 // τ + T − margin: how far TAT may lie ahead of the clock after a call
	end      int64 // until when it says anything of when calls may go; far if for ever
	endless  bool  // no limit at all
	stopped  bool  // rate 0: its clock stands still, and TAT counts calls
	bad      error // why the limit makes no sense; nothing goes then
}

// fresh is the TAT of a limit at rest.
const fresh = -2 * far

func newGCRA(l Limit) gcra {
	g := gcra{limit: l, most: l.Burst, end: far, endless: l.Rate == rate.Inf, stopped: l.Rate == 0}
	if g.bad = l.Validate(); g.bad != nil {
		g.stopped = true
		return g
	}
	switch {
	case g.endless:
	case g.stopped:
		g.interval, g.window = 1, int64(l.Burst)
	default:
		g.interval = nanoseconds(1, l.Rate)
		g.window = mulSat(g.interval, int64(l.Burst))
		g.window -= min(int64(l.Margin), (g.window-min(g.interval, g.window))/4)
	}
	return g
}

// cost is what a call of n adds to TAT.
func (g *gcra) cost(n int) int64 {
	switch {
	case n == 1:
		return g.interval
	case g.stopped:
		return int64(n)
	}
	return nanoseconds(n, g.limit.Rate)
}

// never reports whether no wait makes a call of n conform.
func (g *gcra) never(tat int64, n int) bool {
	if g.endless {
		return false
	}
	return n > g.most || g.stopped && max(tat, 0)+int64(n) > g.window
}

// earliest is the instant from which on a call that adds inc conforms. It may
// be long past.
func (g *gcra) earliest(tat, inc int64) int64 {
	if g.endless || g.stopped {
		return fresh
	}
	return tat + inc - g.window
}

// after is TAT once a call that adds inc has gone at instant at.
func (g *gcra) after(tat, at, inc int64) int64 {
	if g.endless {
		return tat
	}
	if g.stopped {
		at = 0
	}
	return min(max(tat, at)+inc, 2*far)
}

// level is how many calls could go at once at instant at. It is negative while
// more is promised than is there.
func (g *gcra) level(tat, at int64) float64 {
	switch {
	case g.endless:
		return math.Inf(1)
	case g.stopped:
		return float64(g.window - max(tat, 0))
	}
	burst := float64(g.limit.Burst)
	return burst - float64(max(tat, at)-at)/float64(g.interval)
}

// tatFor is the TAT at which the level is as given at instant at. It is the
// reverse of level, and rounds to the slow side.
func (g *gcra) tatFor(level float64, at int64) int64 {
	if g.endless {
		return fresh
	}
	missing := max(0, float64(g.limit.Burst)-level)
	if g.stopped {
		return int64(math.Ceil(min(missing, float64(far))))
	}
	if missing == 0 {
		return at
	}
	return at + int64(math.Ceil(min(missing*float64(g.interval), float64(far))))
}

// finish is when the last of n calls may go, if the first may at instant start.
func (g *gcra) finish(tat, start int64, n int) int64 {
	switch {
	case g.endless:
		return start
	case g.stopped && max(tat, 0)+int64(n) > g.window:
		return far
	case g.stopped:
		return start
	}
	return min(max(tat, start)+g.cost(n)-g.window, max(g.end, start))
}

func mulSat(a, b int64) int64 {
	if b != 0 && a > far/b {
		return far
	}
	return a * b
}

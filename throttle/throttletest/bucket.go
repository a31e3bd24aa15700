package throttletest

import "time"

// never is the wait of a call that costs more than the burst.
const never time.Duration = -1

// A bucket is the state of one budget: what was left of it, and when.
type bucket struct {
	level int64 // in the parts of a limit, from zero to full
	at    time.Time
}

// A verdict is what became of a call, and how the budget stands after it.
type verdict struct {
	admitted  bool
	wait      time.Duration // until a call of this cost is admitted; of a refused call only
	remaining int64         // whole calls that may come at once
	level     int64         // the same in parts
	next      time.Duration // until there is one more than remaining
	full      time.Duration // until the budget is at rest
}

// take admits or refuses a call of the given cost, which is not negative.
func (b *bucket) take(l limit, now time.Time, cost int64, countRefused bool) verdict {
	b.fill(l, now)
	possible := cost <= l.burst
	v := verdict{admitted: possible && cost*l.perCall <= b.level}
	switch {
	case v.admitted:
		b.level -= cost * l.perCall
	case countRefused && possible:
		b.level = max(0, b.level-cost*l.perCall)
	case countRefused:
		b.level = 0
	}
	if !possible {
		v.wait = never
	} else if !v.admitted {
		v.wait = l.refill(cost*l.perCall - b.level)
	}
	v.level = b.level
	v.remaining = b.level / l.perCall
	v.next = l.refill(l.perCall - b.level%l.perCall)
	v.full = l.refill(l.full() - b.level)
	return v
}

// fill adds what has come back since the last time. It looks at the time that a
// full budget needs first, so that a long rest cannot overflow.
func (b *bucket) fill(l limit, now time.Time) {
	rest := max(0, now.Sub(b.at))
	b.at = now
	if rest >= l.refill(l.full()-b.level) {
		b.level = l.full()
		return
	}
	b.level += int64(rest) * l.perNano
}

// change moves b from one limit to another. The level in calls stays, as far as
// the new burst holds it.
func (b *bucket) change(from, to limit, now time.Time) {
	b.fill(from, now)
	level, _ := mulDiv(b.level, to.perCall, from.perCall)
	b.level = min(level, to.full())
}

package throttle

import "time"

// A coolDown is until when nobody may call, because the server refused.
type coolDown struct {
	until   int64 // fresh: none
	began   int64 // how much had been sent when the last refusal came
	strikes int   // refusals in a row, those of one flight counted once
}

func (c *coolDown) on() bool { return c.until != fresh }

// CoolDown holds everybody back until the given instant, waiting or not. Of
// several the latest counts. It opens through the schedule: one call at that
// instant, then one an emission interval apart; without any limit one call
// under way, and one more with each success. Calls whose deadline comes
// first are refused at once, with a *[WaitError].
func (b *Budget) CoolDown(until time.Time) {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	b.coolDown(instant(until), at)
}

func (b *Budget) coolDown(until, at int64) {
	if until <= at || until <= b.cool.until {
		return
	}
	b.cool.until = until
	b.tell(until)
	b.replan(at)
}

// endCoolDown opens the budget at the instant that was announced: each limit
// has a level of one call then, and fills from there.
func (b *Budget) endCoolDown() {
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			tat := b.tat(c)
			*b.hold(c) = tat
		}
	}
	b.shiftBound(b.cool.until)
	b.permits.slow = 1 // for those of whom no limit says how far apart they may be
	b.cool.until = fresh
}

// CoolingUntil returns when the cool-down ends, and whether there is one.
func (b *Budget) CoolingUntil() (time.Time, bool) {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	if !b.cool.on() {
		return time.Time{}, false
	}
	return time.Now().Add(time.Duration(b.cool.until - at)), true
}

// Reset ends a cool-down now, as if it had never been, and forgets what the
// server published.
func (b *Budget) Reset() {
	b.lock()
	defer b.unlock()
	b.cool = coolDown{until: fresh, began: b.cool.began}
	b.permits.slow, b.permits.told = 0, 0
	if b.remote != nil {
		b.remote.over, b.remote.told = true, fresh
	}
	for _, k := range b.known {
		b.swap(k, nil)
	}
	b.known = nil
	b.unpace()
	b.relist()
	b.replan(b.settle(now()))
}

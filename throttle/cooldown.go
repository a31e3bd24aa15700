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
	b.coolDown(b.scopes, instant(until), at)
}

// coolDown closes scopes.
func (b *Budget) coolDown(scopes []*scope, until, at int64) {
	longer := false
	for _, s := range scopes {
		if until > at && until > s.cool.until {
			s.cool.until, longer = until, true
			s.dropLeases()
		}
	}
	if !longer {
		return
	}
	if len(scopes) == len(b.scopes) {
		b.tell(until)
	}
	b.replan(at)
}

// endCoolDown opens a scope at the instant that was announced: each limit has a
// level of one call then, and fills from there.
func (b *Budget) endCoolDown(s *scope) {
	for _, l := range s.lanes {
		for c := range b.cells(l) {
			tat := b.tat(c)
			*b.hold(c) = tat
		}
	}
	if s == &b.root {
		b.shiftBound(s.cool.until)
	}
	b.permits.slow, b.permits.cold = 1, 0 // for those of whom no limit says how far apart they may be
	s.cool.until = fresh
}

// CoolingUntil returns when the cool-down ends, and whether there is one. If the
// server counts some calls by themselves, it is the last to end.
func (b *Budget) CoolingUntil() (time.Time, bool) {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	until := b.openAt()
	if until == fresh {
		return time.Time{}, false
	}
	return time.Now().Add(time.Duration(until - at)), true
}

// Reset ends a cool-down now, as if it had never been, and forgets what the
// server published.
func (b *Budget) Reset() {
	b.lock()
	defer b.unlock()
	b.permits.slow, b.permits.told = 0, 0
	if b.remote != nil {
		b.remote.over, b.remote.cool, b.remote.told = true, fresh, fresh
	}
	for _, s := range b.scopes {
		s.cool = coolDown{until: fresh, began: s.cool.began}
		for _, k := range s.known {
			b.swap(s, k, nil)
		}
		s.known = nil
		b.unpace(s)
		b.relist(s)
	}
	b.replan(b.settle(now()))
}

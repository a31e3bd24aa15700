package transport

import (
	"time"

	"github.com/headway-go/headway/throttle"
)

// warnEvery is how often it is told that others draw on a budget.
const warnEvery = time.Minute

// warnOfOthers tells that others draw on the budget, if the answer shows it.
func (e *engine) warnOfOthers(a *attempt, policies []throttle.Policy) {
	if e.observe == nil || len(policies) == 0 {
		return
	}
	rate, limit := a.route.lane.Budget().Others()
	if rate <= 0 {
		return
	}
	now, last := int64(time.Since(e.began)), a.route.warned.Load()
	if last != 0 && now-last < int64(warnEvery) || !a.route.warned.CompareAndSwap(last, max(1, now)) {
		return
	}
	e.tell(a, Event{Kind: EventOthers, Rate: rate, Limit: limit})
}

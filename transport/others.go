package transport

import "time"

// warnEvery is how often it is told that others draw on a budget.
const warnEvery = time.Minute

// warnOfOthers tells that others draw on the budget, if the answers show it.
func (e *engine) warnOfOthers(a *attempt) {
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

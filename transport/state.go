package transport

import (
	"cmp"
	"slices"

	"github.com/headway-go/headway/throttle"
)

// Budgets returns the state of every budget, for people to look at: what limits
// hold, who waits, and until when a server is left alone.
func (t *Transport) Budgets() []throttle.State {
	var states []throttle.State
	t.engine().budgets.Each(func(_ string, b *throttle.Budget) bool {
		states = append(states, b.State())
		return true
	})
	slices.SortFunc(states, func(a, b throttle.State) int { return cmp.Compare(a.Key, b.Key) })
	return states
}

// Reset ends the cool-down of the budget with the given key, and forgets what
// its server published. It reports whether there is such a budget.
func (t *Transport) Reset(key string) bool {
	found := false
	t.engine().budgets.Each(func(k string, b *throttle.Budget) bool {
		if k == key {
			b.Reset()
			found = true
		}
		return !found
	})
	return found
}

// Snapshot returns what is worth keeping of the budgets when the process ends,
// in the order of their keys: it can be written as JSON, and given to the
// Transport of the next process with Restore.
func (t *Transport) Snapshot() []throttle.Saved {
	var all []throttle.Saved
	t.engine().budgets.Each(func(_ string, b *throttle.Budget) bool {
		all = append(all, b.Save())
		return true
	})
	slices.SortFunc(all, func(a, b throttle.Saved) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// Restore takes up what Snapshot saved, as it has become since then. Call it
// before the first call.
func (t *Transport) Restore(saved []throttle.Saved) {
	for _, s := range saved {
		t.engine().budgets.Budget(s.Key).Restore(s)
	}
}

package throttle_test

import (
	"testing"
	"testing/synctest"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/storetest"
)

// A budget without a store, and those that have theirs from one in memory, keep
// to the same rules.
func TestStores(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) storetest.Holder{
		"none":   holdOne,
		"memory": holdMemory,
	} {
		for _, test := range storetest.All() {
			t.Run(name+"/"+test.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { test.Run(t, open(t)) })
			})
		}
	}
}

// holdOne gives all who hold a key the same budget.
func holdOne(t *testing.T) storetest.Holder {
	budgets := make(map[string]*throttle.Budget)
	return func(key string, limits ...throttle.Limit) *throttle.Budget {
		if budgets[key] == nil {
			budgets[key] = budget(t, limits...)
		}
		return budgets[key]
	}
}

func holdMemory(t *testing.T) storetest.Holder {
	var store throttle.Memory
	return func(key string, limits ...throttle.Limit) *throttle.Budget {
		b := budget(t, limits...)
		b.SetStore(&store, key)
		return b
	}
}

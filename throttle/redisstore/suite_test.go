package redisstore

import (
	"strings"
	"testing"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/storetest"
	"github.com/redis/go-redis/v9"
)

// trusting is the script as it would be if a key that is missing were a full
// bucket. Tests of other things take it, so as to have more than one call.
func trusting(t testing.TB) *redis.Script {
	t.Helper()
	const careful = "math.max(new, window - interval)"
	if strings.Count(askSource, careful) != 1 {
		t.Fatalf("ask.lua has no %q", careful)
	}
	return redis.NewScript(strings.Replace(askSource, careful, "new", 1))
}

// Each budget is held by a process of its own, as far as Redis can tell.
func TestSuite(t *testing.T) {
	for _, test := range storetest.All() {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			server := startRedis(t)
			test.Run(t, func(key string, limits ...throttle.Limit) *throttle.Budget {
				return hold(t, server.Addr, key, limits...)
			})
		})
	}
}

// hold returns a budget with a Store of its own.
func hold(t *testing.T, addr, key string, limits ...throttle.Limit) *throttle.Budget {
	t.Helper()
	s, events := open(t, addr)
	s.script = trusting(t)
	t.Cleanup(func() {
		for len(events) > 0 {
			t.Errorf("it went on without Redis: %+v", <-events)
		}
	})
	return budget(t, s, key, limits...)
}

func budget(t testing.TB, s *Store, key string, limits ...throttle.Limit) *throttle.Budget {
	t.Helper()
	b, err := throttle.NewBudget(limits...)
	if err != nil {
		t.Fatal(err)
	}
	b.SetStore(s, key)
	return b
}

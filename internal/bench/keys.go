package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/throttled/throttled/v2"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// keys are budgets by name.
func keys() (all []row) {
	for _, n := range []int{1, 1000, 1_000_000} {
		all = append(all, row{
			name: "keys/decide, " + thousands(n), unit: "ns", open: deciding(n), aim: aim{times: 1.5},
			about: "May this key go? Asked of so many keys in turn. The floor has a sync.Map of the floor of a decision, and grows as much: a million do not fit the processor's cache.",
		})
	}
	for _, n := range []int{1, 1000, 100_000} {
		all = append(all, row{
			name: "keys/call, " + thousands(n), unit: "ns", open: callingHosts(n),
			about: "A call through a Transport, to so many hosts in turn, that publish nothing.",
		})
	}
	return append(all,
		row{
			name: "keys/memory, 1,000,000", unit: "bytes each", open: keeping(1_000_000), rounds: 1, aim: aim{allocs: anyAllocs},
			about: "What a key needs that has one limit, its name included.",
		}, row{
			name: "keys/eviction", unit: "ns", open: evicting, aim: aim{allocs: anyAllocs},
			about: "A key that nobody has asked for before, in a table with room for 1,000 that is full of idle ones.",
		})
}

func keyNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "tenant-" + strconv.Itoa(i) + ".example.com"
	}
	return names
}

// stride goes through the names of a table, not one after the other as they lie
// in memory.
const stride = 7919

// A table decides by key.
type table struct {
	name  string
	as    role
	allow func(key string) bool
}

// tables have room for so many keys, each with plenty left.
func tables(room int) ([]table, error) {
	limited, err := throttledBy(0, throttled.PerSec(often), plenty-1)
	if err != nil {
		return nil, err
	}
	var bare sync.Map
	keyed := &throttle.Keyed{Max: room, New: newBudget}
	return []table{
		{"floor", floor, func(key string) bool {
			l, ok := bare.Load(key)
			if !ok {
				l, _ = bare.LoadOrStore(key, newLeast())
			}
			return l.(*least).allow()
		}},
		{"headway", ours, func(key string) bool { return keyed.Budget(key).Allow() }},
		{"throttled", peer, func(key string) bool { return !limited(key) }},
	}, nil
}

func newBudget(string) *throttle.Budget {
	b, err := throttle.NewBudget(throttle.Limit{Rate: often, Burst: plenty})
	if err != nil {
		panic(err) // the limit is a constant
	}
	return b
}

func deciding(n int) func(*bench) ([]contender, error) {
	return func(b *bench) (all []contender, err error) {
		names := keyNames(b.size(n))
		list, err := tables(len(names))
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			for _, name := range names {
				t.allow(name)
			}
			i := 0
			all = append(all, loop(t.name, t.as, must(true, func() bool {
				i += stride
				return t.allow(names[i%len(names)])
			})))
		}
		return all, nil
	}
}

// keeping measures the tables themselves.
func keeping(n int) func(*bench) ([]contender, error) {
	return func(b *bench) (all []contender, err error) {
		names := keyNames(b.size(n))
		list, err := tables(len(names))
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			all = append(all, contender{t.name, t.as, func(time.Duration) (sample, error) {
				before := memory()
				for i := range names {
					if !t.allow("other-" + names[i]) {
						return sample{}, errDecision
					}
				}
				return only(float64(memory()-before) / float64(len(names))), nil
			}})
		}
		return all, nil
	}
}

func evicting(*bench) ([]contender, error) {
	const room = 1000
	keyed := &throttle.Keyed{Max: room, New: func(string) *throttle.Budget {
		b, _ := throttle.NewBudget(throttle.Limit{Rate: often, Burst: 1}) // full again in no time
		return b
	}}
	limited, err := throttledBy(room, throttled.PerSec(often), 0)
	if err != nil {
		return nil, err
	}
	fresh := func(allow func(key string) bool) func() error {
		i := 0
		return must(true, func() bool {
			i++
			return allow(strconv.Itoa(i))
		})
	}
	return []contender{
		loop("headway", ours, fresh(func(key string) bool { return keyed.Budget(key).Allow() })),
		loop("throttled", peer, fresh(func(key string) bool { return !limited(key) })),
	}, nil
}

// callingHosts measures calls to many hosts through one client.
func callingHosts(n int) func(*bench) ([]contender, error) {
	return func(b *bench) (all []contender, err error) {
		names := keyNames(b.size(n))
		base := &instant{silent(http.Header{})}
		for _, c := range []client{
			{"base", floor, func(base http.RoundTripper) http.RoundTripper { return base }},
			{"headway", ours, func(base http.RoundTripper) http.RoundTripper {
				return &transport.Transport{Base: base, MaxKeys: len(names)}
			}},
		} {
			rt := c.wrap(base)
			req, err := http.NewRequestWithContext(b.ctx, http.MethodGet, "https://example.com/", nil)
			if err != nil {
				return nil, err
			}
			i := 0
			call := calling(rt, req)
			next := func() error {
				i += stride
				req.URL.Host = names[i%len(names)]
				return call()
			}
			if err := repeat(len(names), next); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			all = append(all, loop(c.name, c.as, next))
		}
		return all, nil
	}
}

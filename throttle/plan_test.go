package throttle

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A new plan refuses nobody who goes in time: who came later, or is held back by
// the limits of another lane or scope, is in nobody's way.
func TestReplanRefusesNobodyWhoGoesInTime(t *testing.T) {
	hour := []Policy{{Name: "search", Limit: 1, Window: time.Hour, Burst: 1, Remaining: 0, Reset: -1}}
	for name, crowd := range map[string]func(t *testing.T, root, slow *Lane) *Lane{
		"came later":   func(_ *testing.T, root, _ *Lane) *Lane { return root },
		"held by lane": func(_ *testing.T, _, slow *Lane) *Lane { return slow },
		"held by scope": func(t *testing.T, root, _ *Lane) *Lane {
			go1(t, root, true, quota("core", 5000, 4999, time.Hour))
			return go1(t, root, true, hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, err := NewBudget(Limit{Rate: 1, Burst: 1})
				if err != nil {
					t.Fatal(err)
				}
				root, _ := b.Lane("")
				slow, _ := b.Lane("slow", Limit{Rate: 1.0 / 3600, Burst: 1})
				other, _ := b.Lane("other")
				lane := crowd(t, root, slow)
				lane.Allow()

				var wg sync.WaitGroup
				join := func(l *Lane, call Call, n int) {
					for range n {
						wg.Go(func() {
							if _, err := l.Acquire(t.Context(), call); err != nil {
								t.Error(err)
							}
						})
					}
					synctest.Wait()
				}
				if lane != root {
					join(lane, Call{}, 100)
				}
				join(other, Call{MaxWait: time.Minute}, 5)
				if lane == root {
					join(lane, Call{}, 100)
				}
				b.CoolDown(time.Now().Add(2 * time.Second))
				wg.Wait()
			})
		})
	}
}

// A plan for a queue in many lanes and scopes.
func BenchmarkReplan(b *testing.B) {
	for _, scopes := range []int{1, maxScopes} {
		b.Run(fmt.Sprint(scopes), func(b *testing.B) {
			budget := scoped(b, 10, scopes)
			budget.lock()
			defer budget.unlock()
			for i := range 1000 {
				w := &waiter{lane: budget.lanes[i%len(budget.lanes)], cost: 1, seq: uint64(i), deadline: far}
				w.lane.queues[0].add(w)
				budget.waiting++
			}
			at := now()
			budget.coolDown(budget.scopes, far/2, at)
			for b.Loop() {
				budget.replan(at)
			}
		})
	}
}

// Calls that wait for a limit of all, while there are many lanes and scopes.
func BenchmarkLanes(b *testing.B) {
	for _, scopes := range []int{1, maxScopes} {
		b.Run(fmt.Sprint(scopes), func(b *testing.B) {
			budget := scoped(b, 10, scopes)
			lane, _ := budget.Lane("0")
			var wg sync.WaitGroup
			b.ReportAllocs()
			for b.Loop() {
				for range 100 {
					wg.Go(func() { _, _ = lane.Acquire(b.Context(), Call{}) })
				}
				wg.Wait()
			}
		})
	}
}

// scoped is a budget of a million a second, with so many lanes by hand, each in
// so many scopes.
func scoped(b *testing.B, lanes, scopes int) *Budget {
	budget, err := NewBudget(Limit{Rate: 1e6, Burst: 1})
	if err != nil {
		b.Fatal(err)
	}
	for i := range lanes {
		lane, err := budget.Lane(fmt.Sprint(i), Limit{Rate: 1e9, Burst: 1e6})
		if err != nil {
			b.Fatal(err)
		}
		for j := range scopes {
			ticket, _ := lane.Acquire(b.Context(), Call{})
			ticket.Unsettled()
			ticket.Answered(quota(fmt.Sprint(j), 1e9, 1e9, time.Hour))
			ticket.Done()
		}
	}
	return budget
}

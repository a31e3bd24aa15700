package throttle

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Calls of another lane, however many, are no reason for a low one to go before
// the high ones of its own: it is not in its place that they went.
func TestPrioritiesOfALaneAreItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := NewBudget(Limit{Rate: 100, Burst: 1})
		if err != nil {
			t.Fatal(err)
		}
		root, _ := b.Lane("")
		slow, _ := b.Lane("slow", Limit{Rate: 0.1, Burst: 1})
		slow.Allow()

		var mu sync.Mutex
		var went []Priority
		var all sync.WaitGroup
		for i := range 24 {
			p := []Priority{Low, High}[i%2]
			all.Go(func() {
				if _, err := slow.Acquire(t.Context(), Call{Priority: p}); err != nil {
					t.Error(err)
				}
				mu.Lock()
				went = append(went, p)
				mu.Unlock()
			})
		}
		synctest.Wait()
		for range 240 * 50 {
			all.Go(func() { _ = root.Wait(t.Context()) })
			time.Sleep(20 * time.Millisecond)
		}
		all.Wait()
		want := slices.Concat(slices.Repeat([]Priority{High}, 9), []Priority{Low}, slices.Repeat([]Priority{High}, 3), slices.Repeat([]Priority{Low}, 11))
		if !slices.Equal(went, want) {
			t.Errorf("went in the order %v, want %v", went, want)
		}
	})
}

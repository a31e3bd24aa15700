package throttle_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
)

// A call that was let go before keeps its place: ahead of all that were not, and
// behind those that came back before it, in each priority.
func TestAgainKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, throttle.Limit{Rate: 1, Burst: 1})
		b.SetMaxQueue(6)
		b.Allow()
		var mu sync.Mutex
		var order []string
		var wg sync.WaitGroup
		for i, call := range []throttle.Call{
			{}, {}, {Again: true}, {Priority: throttle.Low}, {Again: true}, {},
			{Priority: throttle.Low, Again: true}, {Again: true, MaxWait: 4 * time.Second},
		} {
			wg.Go(func() {
				if _, err := b.Acquire(t.Context(), call); err != nil {
					t.Errorf("call %d: %v", i, err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, fmt.Sprint(i))
			})
			synctest.Wait()
		}
		wg.Wait()
		if want := []string{"2", "4", "7", "0", "1", "5", "6", "3"}; !slices.Equal(order, want) {
			t.Errorf("they went in the order %v, want %v", order, want)
		}
	})
}

// Whoever gives up leaves the places of the others as they are.
func TestAgainAndCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, throttle.Limit{Rate: 1, Burst: 1})
		b.Allow()
		var mu sync.Mutex
		var order []string
		var wg sync.WaitGroup
		join := func(name string, call throttle.Call) (giveUp func()) {
			ctx, cancel := context.WithCancel(t.Context())
			wg.Go(func() {
				if _, err := b.Acquire(ctx, call); err == nil {
					mu.Lock()
					defer mu.Unlock()
					order = append(order, name)
				}
			})
			synctest.Wait()
			return func() { cancel(); synctest.Wait() }
		}
		again := throttle.Call{Again: true}
		join("new", throttle.Call{})
		first := join("first", again)
		join("second", again)
		third := join("third", again)
		third()
		first()
		join("fourth", again)
		wg.Wait()
		if want := []string{"second", "fourth", "new"}; !slices.Equal(order, want) {
			t.Errorf("they went in the order %v, want %v", order, want)
		}
	})
}

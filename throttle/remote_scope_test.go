package throttle_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
)

// A kind of calls that the server counts by themselves, and publishes a limit of.
type kind struct {
	budget    *throttle.Budget
	published throttle.Policy
	lane      *throttle.Lane // that they belong to, once one was answered
}

func newKind(b *throttle.Budget, p throttle.Policy) *kind { return &kind{budget: b, published: p} }

func (k *kind) call(t *testing.T) {
	t.Helper()
	acquire := k.budget.Acquire
	if k.lane != nil {
		acquire = k.lane.Acquire
	}
	ticket, err := acquire(t.Context(), throttle.Call{})
	if err != nil {
		t.Fatal(err)
	}
	if k.lane == nil {
		ticket.Unsettled()
	}
	ticket.Answered([]throttle.Policy{k.published})
	ticket.Succeeded()
	ticket.Done()
	k.lane = ticket.Lane()
}

// Two found out of one limit each, for calls that the server counts by themselves.
// A newcomer, who hears of both, does not hold the calls of one to the other.
func TestNewcomerTellsScopesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s throttle.Memory
		core := throttle.Policy{Name: "core", Limit: 5, Window: time.Second, Burst: 10, Remaining: -1, Reset: -1}
		search := throttle.Policy{Name: "search", Limit: 30, Window: time.Minute, Burst: 3, Remaining: -1, Reset: -1}
		var wg sync.WaitGroup
		for _, p := range []throttle.Policy{core, search} {
			wg.Go(func() {
				k := newKind(shared(t, &s), p)
				k.call(t)
				k.call(t)
			})
		}
		wg.Wait()
		time.Sleep(time.Minute)
		b := shared(t, &s)
		c, other := newKind(b, core), newKind(b, search)
		c.call(t)
		other.call(t)
		start := time.Now()
		for range 60 {
			c.call(t)
		}
		if took := time.Since(start); took > 13*time.Second {
			t.Errorf("60 calls took %v, their limit of 5 a second allows them in 12 s", took)
		}
	})
}

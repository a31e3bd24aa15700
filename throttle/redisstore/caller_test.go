package redisstore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
)

// A caller calls for as long as its context lasts, and counts.
type caller struct {
	mu    sync.Mutex
	at    []time.Time
	moved chan struct{} // one for each call
}

func call(ctx context.Context, t *testing.T, wg *sync.WaitGroup, b *throttle.Budget) *caller {
	c := &caller{moved: make(chan struct{}, 100_000)}
	wg.Go(func() {
		for {
			err := b.Wait(ctx)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			c.note()
		}
	})
	return c
}

func (c *caller) note() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = append(c.at, time.Now())
	c.moved <- struct{}{}
}

func (c *caller) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.at)
}

// calls waits for n more calls.
func (c *caller) calls(t *testing.T, n int) {
	t.Helper()
	end := time.After(20 * time.Second)
	for want := c.count() + n; c.count() < want; {
		select {
		case <-c.moved:
		case <-end:
			t.Fatal("no call goes any more")
		}
	}
}

// most is how many calls went in any time so long, at most.
func (c *caller) most(window time.Duration) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	most, first := 0, 0
	for i := range c.at {
		for c.at[i].Sub(c.at[first]) >= window {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// goes reports whether a call may go at once, or as soon as the store has
// answered.
func goes(t *testing.T, b *throttle.Budget) bool {
	t.Helper()
	_, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute})
	if err != nil && !errors.Is(err, throttle.ErrMaxWait) {
		t.Error(err)
	}
	return err == nil
}

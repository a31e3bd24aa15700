package throttle_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// A cool-down of another is heard of in time, also by one who has slots, and one
// whose slot is far ahead.
func TestCoolDownIsHeardOf(t *testing.T) {
	for name, limit := range map[string]throttle.Limit{
		"slots at hand":    {Rate: 100, Burst: 100},
		"a slot far ahead": {Rate: rate.Every(2 * time.Second), Burst: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &spy{latency: time.Millisecond}
				a, b := shared(t, s, limit), shared(t, s, limit)
				ticket, err := a.Acquire(t.Context(), throttle.Call{})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				var wg sync.WaitGroup
				var l log
				l.start = start
				for range 4 {
					wg.Go(func() {
						for time.Since(start) < 10*time.Second {
							if err := b.Wait(t.Context()); err != nil {
								t.Error(err)
							}
							l.add("")
							time.Sleep(10 * time.Millisecond)
						}
					})
				}
				time.Sleep(time.Second)
				ticket.Refused(throttle.Refusal{Delay: func(int) time.Duration { return 20 * time.Second }})
				wg.Wait()
				time.Sleep(time.Second)
				for _, at := range l.at {
					if at > 1300*time.Millisecond && at < 21*time.Second {
						t.Fatalf("a call after %v, in the cool-down from 1s to 21s", at)
					}
				}
			})
		})
	}
}

// A cool-down that the store may not have heard of is told again, and not more
// often than anything else.
func TestCoolDownIsToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{}
		a, b := shared(t, s), shared(t, s)
		ticket, err := a.Acquire(t.Context(), throttle.Call{})
		if err != nil {
			t.Fatal(err)
		}
		s.fail(errors.New("down"))
		ticket.Refused(throttle.Refusal{Delay: func(int) time.Duration { return time.Minute }})
		time.Sleep(time.Second)
		if n := len(s.asked()); n < 5 || n > 20 {
			t.Errorf("asked %d times in a second", n)
		}
		s.fail(nil)
		time.Sleep(time.Second)
		if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Second}); !errors.Is(err, throttle.ErrMaxWait) {
			t.Errorf("another, in the cool-down: %v", err)
		}
	})
}

// Reset ends a cool-down that the store could not be told of yet, too.
func TestResetBeforeTheStoreIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{}
		a, b := shared(t, s), shared(t, s)
		ticket, err := a.Acquire(t.Context(), throttle.Call{})
		if err != nil {
			t.Fatal(err)
		}
		s.fail(errors.New("down"))
		ticket.Refused(throttle.Refusal{Delay: func(int) time.Duration { return time.Hour }})
		time.Sleep(time.Second)
		a.Reset()
		s.fail(nil)
		time.Sleep(time.Second)
		for _, holder := range []*throttle.Budget{a, b} {
			if _, err := holder.Acquire(t.Context(), throttle.Call{MaxWait: time.Second}); err != nil {
				t.Errorf("a call after Reset: %v", err)
			}
		}
	})
}

package throttle_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// Nobody goes during a cool-down; it opens with one call, and then one an
// interval apart, although the burst was full (hivecommons/hive#4640).
func TestCoolDownOpensOneIntervalApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := budget(t, throttle.Limit{Rate: 10, Burst: 10}), newLog()
		b.CoolDown(l.start.Add(60 * time.Second))
		b.CoolDown(l.start.Add(5 * time.Second)) // the longer one holds
		var wg sync.WaitGroup
		spawn(t, &wg, 4, "", l, func() error { return b.Wait(t.Context()) })
		if until, on := b.CoolingUntil(); !on || !until.Equal(l.start.Add(60*time.Second)) {
			t.Errorf("CoolingUntil = %v, %t", until, on)
		}
		wg.Wait()
		l.wantAt(t, ms(60000, 60100, 60200, 60300)...)
	})
}

// Ended by hand, it is as if it had never been.
func TestResetEndsCoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := budget(t, throttle.Limit{Rate: 10, Burst: 2}), newLog()
		b.CoolDown(l.start.Add(time.Hour))
		var wg sync.WaitGroup
		spawn(t, &wg, 3, "", l, func() error { return b.Wait(t.Context()) })
		time.Sleep(time.Second)
		b.Reset()
		wg.Wait()
		l.wantAt(t, ms(1000, 1000, 1100)...)
	})
}

// A cool-down that is longer than a caller would wait refuses it at once, with
// the time that is left.
func TestCoolDownBeyondMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &throttle.Budget{}
		b.CoolDown(time.Now().Add(300 * time.Second))
		time.Sleep(time.Second)
		_, err := b.Acquire(t.Context(), throttle.Call{MaxWait: 10 * time.Second})
		we, ok := errors.AsType[*throttle.WaitError](err)
		if !ok || we.Wait != 299*time.Second || we.Cause != throttle.CauseCoolDown {
			t.Errorf("Acquire = %v, want 299s of cool-down", err)
		}
	})
}

// Without any limit a cool-down opens for one call under way, and one more with
// each success.
func TestSlowStartWhereNoIntervalIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := &throttle.Budget{}, newLog()
		b.CoolDown(l.start.Add(time.Second))
		var wg sync.WaitGroup
		spawn(t, &wg, 7, "", l, func() error {
			ticket, err := b.Acquire(t.Context(), throttle.Call{})
			wg.Go(func() {
				time.Sleep(100 * time.Millisecond) // the answer
				ticket.Done()
				ticket.Succeeded()
			})
			return err
		})
		wg.Wait()
		l.wantAt(t, ms(1000, 1100, 1100, 1200, 1200, 1200, 1200)...)
	})
}

// Refusals of one flight are one event; a server that goes on refusing is left
// alone for longer, and a success of an earlier call changes nothing.
func TestRefusalsOfOneFlightCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, throttle.Limit{Rate: 10, Burst: 10})
		acquire := func() *throttle.Ticket {
			ticket, err := b.Acquire(t.Context(), throttle.Call{})
			if err != nil {
				t.Fatal(err)
			}
			return &ticket
		}
		delay := func(strikes int) time.Duration { return time.Duration(strikes) * time.Second }
		first, second, third := acquire(), acquire(), acquire()
		if a, b := first.Refused(throttle.Refusal{Delay: delay}), second.Refused(throttle.Refusal{Delay: delay}); a != time.Second || b != time.Second {
			t.Errorf("two of one flight: %v and %v, want 1s each", a, b)
		}
		third.Succeeded()
		if got := acquire().Refused(throttle.Refusal{Delay: delay}); got != 2*time.Second {
			t.Errorf("refused again: %v, want 2s", got)
		}
		acquire().Succeeded()
		if got := acquire().Refused(throttle.Refusal{Delay: delay}); got != time.Second {
			t.Errorf("refused after a success: %v, want 1s", got)
		}
	})
}

// Limits on one call are charged together or not at all
// (ravangen/graphql-rate-limit#129).
func TestSeveralLimitsInOneStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := budget(t, throttle.Limit{Rate: 5, Burst: 5}), newLog()
		minute, err := b.Lane("x", throttle.Limit{Rate: rate.Every(3 * time.Second), Burst: 20})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		refused := 0
		for range 30 {
			wg.Go(func() {
				if minute.Wait(ctx) != nil {
					refused++
					return
				}
				l.add("")
			})
			synctest.Wait()
		}
		if time.Since(l.start) != 0 || refused != 9 {
			t.Errorf("%d refused after %v, want 9 at once", refused, time.Since(l.start))
		}
		time.Sleep(3400 * time.Millisecond)
		synctest.Wait()
		if n, last := len(l.at), l.at[len(l.at)-1]; n != 21 || last != 3200*time.Millisecond {
			t.Errorf("%d went, the last at %v; want 21 at 3.2s", n, last)
		}
		if !b.Allow() {
			t.Error("those who were refused used up the limit of others")
		}
		wg.Wait()
	})
}

// A lane at its limit does not hold up the others.
func TestLanesDoNotBlockEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := budget(t, throttle.Limit{Rate: 10, Burst: 1}), newLog()
		login, err := b.Lane("x", throttle.Limit{Rate: 1})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		spawn(t, &wg, 2, "login", l, func() error { return login.Wait(t.Context()) })
		spawn(t, &wg, 3, "read", l, func() error { return b.Wait(t.Context()) })
		wg.Wait()
		l.wantAt(t, ms(0, 100, 200, 300, 1000)...)
		if want := []string{"login", "read", "read", "read", "login"}; !slices.Equal(l.names, want) {
			t.Errorf("order %v, want %v", l.names, want)
		}
	})
}

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

// A log is when each call went, counted from its making.
type log struct {
	mu    sync.Mutex
	start time.Time
	at    []time.Duration
	names []string
}

func newLog() *log { return &log{start: time.Now()} }

func (l *log) add(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = append(l.at, time.Since(l.start))
	l.names = append(l.names, name)
}

func (l *log) wantAt(t *testing.T, want ...time.Duration) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.at, want) {
		t.Errorf("went at %v, want %v", l.at, want)
	}
}

func ms(n ...int) []time.Duration {
	out := make([]time.Duration, len(n))
	for i, v := range n {
		out[i] = time.Duration(v) * time.Millisecond
	}
	return out
}

func budget(t *testing.T, limits ...throttle.Limit) *throttle.Budget {
	t.Helper()
	b, err := throttle.NewBudget(limits...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// spawn starts n calls in order, each of which waits its turn.
func spawn(t *testing.T, wg *sync.WaitGroup, n int, name string, l *log, wait func() error) {
	for range n {
		wg.Go(func() {
			if err := wait(); err != nil {
				t.Error(err)
				return
			}
			l.add(name)
		})
		synctest.Wait()
	}
}

// Ten callers, five at once and then one a second.
func TestWaitSpacesCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lim, l := throttle.NewLimiter(1, 5), newLog()
		var wg sync.WaitGroup
		spawn(t, &wg, 10, "", l, func() error { return lim.Wait(t.Context()) })
		wg.Wait()
		l.wantAt(t, ms(0, 0, 0, 0, 0, 1000, 2000, 3000, 4000, 5000)...)
	})
}

// The interval of three a second rounds up, and the rounding does not add up
// beyond a nanosecond a call.
func TestLongRunCountIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lim, start := throttle.NewLimiter(3, 1), time.Now()
		for range 3001 {
			if err := lim.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(start); got < 1000*time.Second || got > 1000*time.Second+10*time.Microsecond {
			t.Errorf("the 3,001st call went at %v, want 1000s", got)
		}
	})
}

// A limit of one an hour lets the second call go after an hour, not a
// nanosecond later (golang/go#46579).
func TestSlowRateIsNotLate(t *testing.T) {
	lim := throttle.NewLimiter(rate.Every(time.Hour), 1)
	at := time.Now()
	if !lim.AllowN(at, 1) || lim.AllowN(at.Add(time.Hour-1), 1) || !lim.AllowN(at.Add(time.Hour), 1) {
		t.Error("not free exactly after an hour")
	}
}

// However long a limit lay idle, what has gathered is the burst (bucket4j/bucket4j#51).
func TestIdleForYears(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, r := range []rate.Limit{1e-9, 1e6, 1e9} {
		lim := throttle.NewLimiter(r, 100)
		at := time.Now()
		for _, idle := range []time.Duration{0, 12 * time.Hour, 10 * year, 280 * year} {
			if r < 1 && idle > 0 {
				continue
			}
			at = at.Add(idle)
			passed := 0
			for passed < 200 && lim.AllowN(at, 1) {
				passed++
			}
			if want := 100; r >= 1 && passed != want || r < 1 && passed < 2 {
				t.Errorf("rate %v: %d passed after %v, want %d", r, passed, idle, want)
			}
		}
	}
}

// The caller who leaves the queue costs nothing, and those behind move up
// (golang/go#56924).
func TestCancelledWaiterGivesItsSlotToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lim, l := throttle.NewLimiter(1, 1), newLog()
		var wg sync.WaitGroup
		wait := func() error { return lim.Wait(t.Context()) }
		spawn(t, &wg, 1, "A", l, wait)
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		wg.Go(func() {
			err := lim.Wait(ctx)
			if !errors.Is(err, context.Canceled) || !errors.Is(err, gone) {
				t.Errorf("cancelled Wait = %v, want Canceled and its cause", err)
			}
		})
		synctest.Wait()
		spawn(t, &wg, 1, "C", l, wait)
		time.Sleep(500 * time.Millisecond)
		cancel(gone)
		time.Sleep(100 * time.Millisecond)
		spawn(t, &wg, 1, "D", l, wait)
		wg.Wait()
		l.wantAt(t, ms(0, 1000, 2000)...)
	})
}

// A wait that would outlast the deadline is refused at once, costs nothing, and
// says what it is (golang/go#54541).
func TestDeadlineIsLookedAtBeforeWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := budget(t, throttle.Limit{Rate: 1}), newLog()
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		spawn(t, &wg, 3, "", l, func() error { return b.Wait(ctx) })
		for range 7 {
			err := b.Wait(ctx)
			we, ok := errors.AsType[*throttle.WaitError](err)
			if !ok || !errors.Is(err, context.DeadlineExceeded) || !we.Timeout() {
				t.Fatalf("Wait past the deadline = %v", err)
			}
			if we.Wait != 3*time.Second || !we.At.Equal(l.start.Add(3*time.Second)) || we.Cause != throttle.CauseLimit {
				t.Errorf("WaitError = %+v, want a wait of 3s for the limit", we)
			}
		}
		if got := time.Since(l.start); got != 0 {
			t.Errorf("the refusals took %v", got)
		}
		spawn(t, &wg, 1, "", l, func() error { return b.Wait(t.Context()) })
		wg.Wait()
		l.wantAt(t, ms(0, 1000, 2000, 3000)...)
	})
}

// MaxWait is exact: what it allows is waited for, a nanosecond more is not.
func TestMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, throttle.Limit{Rate: 1})
		if _, err := b.Acquire(t.Context(), throttle.Call{}); err != nil {
			t.Fatal(err)
		}
		_, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Second - 1})
		if !errors.Is(err, throttle.ErrMaxWait) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Acquire = %v, want ErrMaxWait", err)
		}
		if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Second}); err != nil {
			t.Error(err)
		}
	})
}

// A context that is done already uses nothing up.
func TestDoneContextCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lim, start := throttle.NewLimiter(1, 1), time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			if err := lim.Wait(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("Wait = %v, want Canceled", err)
			}
		}
		if err := lim.Wait(t.Context()); err != nil || time.Since(start) != 0 {
			t.Errorf("Wait = %v after %v, want nil at once", err, time.Since(start))
		}
	})
}

// A new rate re-plans those who sleep, and gives no burst away (golang/go#23575).
func TestSetLimitsReplansWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := budget(t, throttle.Limit{Rate: 1}), newLog()
		var wg sync.WaitGroup
		spawn(t, &wg, 8, "", l, func() error { return b.Wait(t.Context()) })
		time.Sleep(3500 * time.Millisecond)
		if err := b.SetLimits(throttle.Limit{Rate: 10, Burst: 5}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		l.wantAt(t, ms(0, 1000, 2000, 3000, 3550, 3650, 3750, 3850)...)
	})
}

// A change that makes a wait too long ends it at once.
func TestSetLimitsRefusesWhoeverWouldNowBeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, start := budget(t, throttle.Limit{Rate: 1}), time.Now()
		if !b.Allow() {
			t.Fatal("not full at the start")
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := b.Acquire(t.Context(), throttle.Call{MaxWait: 5 * time.Second})
			if !errors.Is(err, throttle.ErrMaxWait) || time.Since(start) != 500*time.Millisecond {
				t.Errorf("Acquire = %v after %v, want ErrMaxWait after 500ms", err, time.Since(start))
			}
		})
		time.Sleep(500 * time.Millisecond)
		if err := b.SetLimits(throttle.Limit{Rate: 0.01}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
	})
}

// The highest class goes first, and of ten calls one is of a lower class.
func TestPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := budget(t, throttle.Limit{Rate: 10}), newLog()
		var wg sync.WaitGroup
		with := func(p throttle.Priority) func() error {
			return func() error {
				_, err := b.Acquire(t.Context(), throttle.Call{Priority: p})
				return err
			}
		}
		spawn(t, &wg, 1, "first", l, with(throttle.Low))
		spawn(t, &wg, 3, "low", l, with(throttle.Low))
		spawn(t, &wg, 20, "high", l, with(throttle.High))
		wg.Wait()
		var lows []int
		for i, name := range l.names {
			if name == "low" {
				lows = append(lows, i)
			}
		}
		if want := []int{10, 20, 23}; !slices.Equal(lows, want) {
			t.Errorf("low calls went as %v, want %v", lows, want)
		}
	})
}

// A call of high priority leaves with the next slot, whatever waits.
func TestHighPriorityPassesABulk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, throttle.Limit{Rate: 10})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 5000 {
			wg.Go(func() { _ = b.Wait(ctx) })
		}
		synctest.Wait()
		start := time.Now()
		if _, err := b.Acquire(t.Context(), throttle.Call{Priority: throttle.High}); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got > 200*time.Millisecond {
			t.Errorf("waited %v, want two slots at the most", got)
		}
		cancel()
		wg.Wait()
		if s := b.State(); s.Waiting != 0 {
			t.Errorf("%d still wait", s.Waiting)
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, throttle.Limit{Rate: 1})
		b.SetMaxQueue(5)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() { _ = b.Wait(ctx) })
			synctest.Wait()
		}
		err := b.Wait(t.Context())
		if we, ok := errors.AsType[*throttle.WaitError](err); !ok || !errors.Is(err, throttle.ErrQueueFull) ||
			we.Timeout() || we.Wait != 6*time.Second || we.Cause != throttle.CauseQueue {
			t.Errorf("Wait = %v, want ErrQueueFull", err)
		}
		cancel()
		wg.Wait()
		start := time.Now() // those who gave up do not count, nor hold a slot
		if err := b.Wait(t.Context()); err != nil || time.Since(start) != time.Second {
			t.Errorf("Wait = %v after %v, want nil after 1s", err, time.Since(start))
		}
	})
}

// A permit is taken when the slot is due, and freed by Done.
func TestMaxConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := budget(t, throttle.Limit{Rate: 10, Burst: 10}), newLog()
		b.SetMaxConcurrent(2)
		var wg sync.WaitGroup
		spawn(t, &wg, 5, "", l, func() error {
			ticket, err := b.Acquire(t.Context(), throttle.Call{})
			wg.Go(func() {
				time.Sleep(time.Second)
				ticket.Done()
			})
			return err
		})
		_, err := b.Acquire(t.Context(), throttle.Call{MaxWait: 500 * time.Millisecond})
		if we, ok := errors.AsType[*throttle.WaitError](err); !ok || we.Cause != throttle.CauseConcurrency {
			t.Errorf("Acquire = %v, want a wait for a permit", err)
		}
		if got := time.Since(l.start); got != 500*time.Millisecond {
			t.Errorf("gave up after %v, want 500ms", got)
		}
		wg.Wait()
		l.wantAt(t, ms(0, 0, 1000, 1000, 2000)...)
		if s := b.State(); s.InFlight != 0 {
			t.Errorf("%d under way at the end", s.InFlight)
		}
	})
}

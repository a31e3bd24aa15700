package throttle_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// A spy is a store that notes what it is asked. It takes time, and may fail.
type spy struct {
	throttle.Memory
	latency time.Duration
	most    int // it panics if it is asked more often; zero: it does not

	mu   sync.Mutex
	asks []throttle.Ask
	err  error
}

func (s *spy) Ask(ctx context.Context, a throttle.Ask) (throttle.Answer, error) {
	time.Sleep(s.latency / 2)
	s.mu.Lock()
	s.asks = append(s.asks, a)
	if s.most > 0 && len(s.asks) > s.most {
		panic("a store is asked all the time")
	}
	err := s.err
	s.mu.Unlock()
	ans, _ := s.Memory.Ask(ctx, a) // its error is always nil
	time.Sleep(s.latency / 2)
	return ans, err
}

func (s *spy) asked() []throttle.Ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks
}

func (s *spy) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func shared(t *testing.T, s throttle.Store, limits ...throttle.Limit) *throttle.Budget {
	t.Helper()
	b := budget(t, limits...)
	b.SetStore(s, "k")
	return b
}

// Four holders with much to do share a limit to the last slot, evenly, and ask
// less than once in ten calls.
func TestSharedBySeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{latency: time.Millisecond}
		limit, start := throttle.Limit{Rate: 500, Burst: 100}, time.Now()
		var wg sync.WaitGroup
		var mu sync.Mutex
		var went [4]int
		tat, early := start, 0
		for i := range went {
			b := shared(t, s, limit)
			for range 32 {
				wg.Go(func() {
					for time.Since(start) < 20*time.Second && b.Wait(t.Context()) == nil {
						mu.Lock()
						// The limit, as the server would keep it.
						if now := time.Now(); now.Before(tat.Add(-198 * time.Millisecond)) {
							early++
						} else if tat = tat.Add(2 * time.Millisecond); tat.Before(now.Add(2 * time.Millisecond)) {
							tat = now.Add(2 * time.Millisecond)
						}
						went[i]++
						mu.Unlock()
						time.Sleep(20 * time.Millisecond)
					}
				})
			}
		}
		wg.Wait()
		time.Sleep(time.Second) // what is left goes back
		sum, squares := 0, 0
		for _, n := range went {
			sum, squares = sum+n, squares+n*n
		}
		if early > 0 {
			t.Errorf("%d calls went too early", early)
		}
		if sum < 10_000 {
			t.Errorf("%d calls in 20 s, the limit allows 10000 and the burst", sum)
		}
		if jain := float64(sum*sum) / float64(4*squares); jain < 0.995 {
			t.Errorf("%v: Jain's index is %.4f", went, jain)
		}
		if n := len(s.asked()); n*10 > sum {
			t.Errorf("the store was asked %d times for %d calls", n, sum)
		}
	})
}

// Where a limit is slow, all wait in one line, whoever they are.
func TestSharedSlowLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{latency: time.Millisecond}
		start := time.Now()
		var wg sync.WaitGroup
		var mu sync.Mutex
		var longest time.Duration
		sum := 0
		for range 10 {
			b := shared(t, s, throttle.Limit{Rate: 1.25, Burst: 10})
			wg.Go(func() {
				for time.Since(start) < 10*time.Minute {
					asked := time.Now()
					if err := b.Wait(t.Context()); err != nil {
						t.Error(err)
					}
					mu.Lock()
					sum, longest = sum+1, max(longest, time.Since(asked))
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Second)
		if longest > 8100*time.Millisecond {
			t.Errorf("a call waited for %v, want 8s at most: ten intervals for ten callers", longest)
		}
		if sum < 760 {
			t.Errorf("%d calls in ten minutes, the limit allows 760", sum)
		}
	})
}

// One call after the other, well below the limit, costs no more.
func TestSharedBelowTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{latency: time.Millisecond}
		b := shared(t, s, throttle.Limit{Rate: 500, Burst: 100})
		for range 1000 {
			if err := b.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if n := len(s.asked()); n > 100 {
			t.Errorf("the store was asked %d times for 1000 calls", n)
		}
	})
}

// A store may look at the budget while it is asked: nobody holds its mutex.
type curious struct {
	throttle.Memory
	b *throttle.Budget
}

func (c *curious) Ask(ctx context.Context, a throttle.Ask) (throttle.Answer, error) {
	c.b.State()
	return c.Memory.Ask(ctx, a)
}

func TestBudgetIsNotLockedWhileTheStoreIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &curious{b: budget(t, throttle.Limit{Rate: 10, Burst: 2})}
		s.b.SetStore(s, "k")
		for range 5 {
			if err := s.b.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Slots that nobody needs go back when their holder is idle, so that another
// finds them.
func TestLeaseGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s throttle.Memory
		limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 3}
		a, b := shared(t, &s, limit), shared(t, &s, limit)
		if err := a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 3 { // two of the burst, and one in an hour that is never used
			wg.Go(func() { _ = a.Wait(ctx) }) // until it is cancelled
		}
		time.Sleep(time.Second)
		cancel()
		wg.Wait()
		time.Sleep(time.Second)
		_, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute})
		if we, ok := errors.AsType[*throttle.WaitError](err); !ok || we.Wait > time.Hour {
			t.Errorf("the next call of another: %v, want a wait of an hour at most", err)
		}
	})
}

// A holder that crashes takes no more than its lease.
func TestCrashCostsALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := throttle.Limit{Rate: 100, Burst: 10}
		dead := &spy{}
		a := shared(t, dead, limit)
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		defer wg.Wait()
		defer cancel()
		for range 50 {
			wg.Go(func() { _ = a.Wait(ctx) })
		}
		synctest.Wait()
		var taken time.Duration
		for _, ask := range dead.asked() {
			for _, w := range ask.Wants {
				taken += w.Take
			}
		}
		if taken > 220*time.Millisecond {
			t.Errorf("leases of %v, want a fifth of a second of the limit at most", taken)
		}
	})
}

// A store that fails holds nobody longer than the call's own bound, and is asked
// again.
func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{err: errors.New("down")}
		b := shared(t, s, throttle.Limit{Rate: 10, Burst: 2})
		_, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Second})
		if we, ok := errors.AsType[*throttle.WaitError](err); !ok || we.Cause != throttle.CauseStore {
			t.Errorf("a call without an answer: %v, want a WaitError of the store", err)
		}
		if n := len(s.asked()); n < 5 || n > 20 {
			t.Errorf("asked %d times in a second", n)
		}
		s.fail(nil)
		if err := b.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Whoever does not wait gets a slot once one is at hand.
func TestAllowWithAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s throttle.Memory
		b := shared(t, &s, throttle.Limit{Rate: 1, Burst: 2})
		if b.Allow() {
			t.Error("Allow before the store was asked")
		}
		synctest.Wait()
		if !b.Allow() {
			t.Error("no slot at hand after it was")
		}
	})
}

// Nor does one of several slots need more than to be put again.
func TestAllowNWithAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s throttle.Memory
		lim := throttle.NewLimiter(1, 10)
		lim.Budget().SetStore(&s, "k")
		lim.AllowN(time.Now(), 1)
		synctest.Wait()
		lim.AllowN(time.Now(), 5)
		synctest.Wait()
		if !lim.AllowN(time.Now(), 5) {
			t.Error("no 5 slots at hand after the store was asked for them")
		}
	})
}

func TestReserveWithAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s throttle.Memory
		lim := throttle.NewLimiter(10, 5)
		lim.Budget().SetStore(&s, "k")
		if r := lim.Reserve(); r.OK() {
			t.Error("a reservation of a limit that is shared")
		}
		if err := lim.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Two limits, of which one lets a call go much later than the other: both have a
// slot for it then, and neither is wasted for it all the time until then.
func TestLimitsFarApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{latency: time.Millisecond}
		slow, fast := throttle.Limit{Rate: 1, Burst: 1}, throttle.Limit{Rate: 100, Burst: 1}
		a := shared(t, s, fast, slow)
		start := time.Now()
		for range 6 {
			if err := a.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took > 5100*time.Millisecond {
			t.Errorf("6 calls at one a second took %v", took)
		}
		if n := len(s.asked()); n > 40 {
			t.Errorf("the store was asked %d times for 6 calls", n)
		}
	})
}

// A limit by hand that changes is one of its own, at the level of before.
func TestSetLimitsWithAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s throttle.Memory
		b, l := shared(t, &s, throttle.Limit{Rate: 1, Burst: 5}), newLog()
		var wg sync.WaitGroup
		spawn(t, &wg, 8, "", l, func() error { return b.Wait(t.Context()) })
		if err := b.SetLimits(throttle.Limit{Rate: 10, Burst: 5}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if last := l.at[7]; last < 200*time.Millisecond || last > 1200*time.Millisecond {
			t.Errorf("went at %v, want the last 3 of 8 at ten a second", l.at)
		}
	})
}

// Nor does anybody gain a burst by going back to a limit that the store still has.
func TestSetLimitsBackAndForthWithAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s throttle.Memory
		limits := [2]throttle.Limit{{Rate: rate.Every(time.Hour), Burst: 5}, {Rate: rate.Every(61 * time.Minute), Burst: 5}}
		b, went := shared(t, &s, limits[0]), 0
		for i := range 6 {
			for {
				if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Second}); err != nil {
					break
				}
				went++
			}
			time.Sleep(time.Hour)
			if err := b.SetLimits(limits[(i+1)%2]); err != nil {
				t.Fatal(err)
			}
		}
		if went > 10 {
			t.Errorf("%d calls went in 5 hours, one an hour and a burst of 5 allow 10", went)
		}
	})
}

// The calls of an idle budget cost nothing: the bubble would find a timer.
func TestIdleWithAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{}
		b := shared(t, s, throttle.Limit{Rate: 100, Burst: 10})
		for range 50 {
			if err := b.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		n := len(s.asked())
		time.Sleep(time.Hour)
		if more := len(s.asked()) - n; more > 0 {
			t.Errorf("an idle budget asked %d times", more)
		}
	})
}

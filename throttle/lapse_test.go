package throttle_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// A halting store is slow to answer every other time, as when the process did not
// get a processor.
type halting struct {
	throttle.Memory
	asked atomic.Int64
}

func (s *halting) Ask(ctx context.Context, a throttle.Ask) (throttle.Answer, error) {
	ans, err := s.Memory.Ask(ctx, a)
	time.Sleep(time.Duration(1+49*(s.asked.Add(1)%2)) * time.Millisecond)
	return ans, err
}

// A slot that was too old to be used when the answer came goes back, if nobody has
// reserved behind it: where one comes an hour, its loss would cost the hour.
func TestSlotOfALateAnswerGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s halting
		limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 4}
		a, b := shared(t, &s, limit), shared(t, &s, limit)
		for i, holder := range []*throttle.Budget{a, a, b, a} {
			if _, err := holder.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute}); err != nil {
				t.Errorf("call %d of a burst of 4: %v", i+1, err)
			}
		}
		if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute}); err == nil {
			t.Error("a fifth call went within the hour")
		}
		time.Sleep(time.Second) // the last question ends
	})
}

// It goes back even if the call that it was for is there no more, and so is of use
// to others.
func TestSlotOfACallThatGaveUpGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s halting
		limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 2}
		a, b := shared(t, &s, limit), shared(t, &s, limit)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := a.Wait(ctx); err == nil {
			t.Fatal("the answer was not late")
		}
		time.Sleep(time.Second)
		for i := range 2 {
			if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute}); err != nil {
				t.Errorf("call %d of a burst of 2: %v", i+1, err)
			}
		}
		time.Sleep(time.Second)
	})
}

// A dear call that finds a part of its lease too old takes all of it anew: the rest
// would keep it from going, and it would keep the rest.
func TestRestOfALateLeaseGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s halting
		a := shared(t, &s, throttle.Limit{Rate: rate.Every(time.Hour), Burst: 10})
		if _, err := a.Acquire(t.Context(), throttle.Call{Cost: 7, MaxWait: time.Minute}); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
	})
}

// However late the answers come, one who is alone gets what the limit gives: no call
// is kept waiting for a slot that its own budget let lapse.
func TestAllIsUsedThoughAnswersAreLate(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			s := &erraticStore{most: 50 * time.Millisecond, r: rand.New(rand.NewPCG(seed, 1))}
			l := &load{start: time.Now(), limit: throttle.Limit{Rate: rate.Every(time.Second), Burst: 1 + r.IntN(20)}}
			b := shared(t, s, l.limit)
			cost := 0
			for range 100 {
				n := 1 + r.IntN(min(5, l.limit.Burst))
				if ticket, err := b.Acquire(t.Context(), throttle.Call{Cost: n}); err != nil {
					t.Error(err)
				} else {
					ticket.Done()
				}
				cost += n
			}
			least := time.Duration(cost-l.limit.Burst) * time.Second
			if took := time.Since(l.start); took > least+time.Second {
				t.Errorf("%+v: calls of %d took %v, want no more than a slot beyond %v", l.limit, cost, took, least)
			}
			time.Sleep(time.Second) // a question may be under way
		})
	}
}

// One who calls again as soon as a call went gets more slots at a time, however long
// the store takes to answer.
func TestSlowStoreGivesMoreAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{latency: 300 * time.Millisecond}
		b := shared(t, s, throttle.Limit{Rate: 500, Burst: 200})
		for range 1000 {
			if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: time.Minute}); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(s.asked()); n > 50 {
			t.Errorf("asked %d times for 1000 calls", n)
		}
		time.Sleep(time.Second)
	})
}

// A tolerance that is shorter than the way to the store and back keeps no call from
// going: its slot is put as far ahead as the answer takes.
func TestToleranceShorterThanTheTrip(t *testing.T) {
	for _, burst := range []int{1, 2, 10} {
		synctest.Test(t, func(t *testing.T) {
			s := &erraticStore{most: 15 * time.Millisecond, r: rand.New(rand.NewPCG(uint64(burst), 0))}
			b := shared(t, s, throttle.Limit{Rate: 2000, Burst: burst})
			for i := range 100 {
				if _, err := b.Acquire(t.Context(), throttle.Call{MaxWait: 500 * time.Millisecond}); err != nil {
					t.Fatalf("burst %d, call %d: %v", burst, i, err)
				}
			}
			time.Sleep(time.Second) // a question may be under way
		})
	}
}

// A slot is of use for longer than a timer may be late, however short the tolerance
// is: it can be used from τ before it, and as late as the last one of its lease.
func TestSlotIsLongerThanATimerIsLate(t *testing.T) {
	for _, l := range []throttle.Limit{{Rate: 2000, Burst: 1}, {Rate: 2000, Burst: 2}, {Rate: 500, Burst: 1}, {Rate: 1e5, Burst: 20}} {
		synctest.Test(t, func(t *testing.T) {
			var s spy
			if err := shared(t, &s, l).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			w := s.asked()[0].Wants[0]
			if good := w.Take - w.First + w.Window - w.First; good < 1500*time.Microsecond {
				t.Errorf("%+v: a slot is of use for %v", l, good)
			}
			time.Sleep(time.Second)
		})
	}
}

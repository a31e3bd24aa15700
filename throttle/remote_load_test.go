package throttle_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// A load is calls of all kinds at random: several holders, costs, priorities, and
// deadlines that many do not meet.
type load struct {
	limit throttle.Limit
	start time.Time

	mu    sync.Mutex
	tat   time.Time // of the limit, as the server would keep it
	calls int
	early time.Duration // the most that one came too early
}

// run makes calls for ten seconds.
func (l *load) run(t *testing.T, r *rand.Rand, s throttle.Store) {
	defer time.Sleep(time.Minute) // a question may be under way
	var wg sync.WaitGroup
	defer wg.Wait()
	for range 4 {
		b := shared(t, s, l.limit)
		for range 1 + r.IntN(20) {
			own := rand.New(rand.NewPCG(r.Uint64(), 0))
			wg.Go(func() {
				for time.Since(l.start) < 10*time.Second {
					l.call(t.Context(), b, own)
					time.Sleep(time.Duration(own.Int64N(int64(time.Second) >> own.IntN(12))))
				}
			})
		}
	}
}

func (l *load) call(ctx context.Context, b *throttle.Budget, r *rand.Rand) {
	call := throttle.Call{Cost: 1, Priority: throttle.Priority(r.IntN(3) - 1), MaxWait: time.Duration(1 + r.Int64N(int64(2*time.Second)))}
	if r.IntN(4) == 0 {
		call.Cost += r.IntN(min(5, l.limit.Burst))
	}
	ticket, err := b.Acquire(ctx, call)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if err != nil {
		return
	}
	ticket.Done()
	interval := time.Duration(float64(time.Second) / float64(l.limit.Rate))
	now := time.Now()
	if l.tat.Before(now) {
		l.tat = now
	}
	l.tat = l.tat.Add(time.Duration(call.Cost) * interval)
	l.early = max(l.early, l.tat.Sub(now)-time.Duration(l.limit.Burst)*interval)
}

// Whatever the calls are, and however long the store takes, they keep the limit to
// a microsecond, which a store counts in, and it is asked no more than need be.
func TestRandomLoads(t *testing.T) {
	for _, latency := range []time.Duration{0, time.Millisecond} {
		for seed := range uint64(8) {
			t.Run(fmt.Sprint(latency, " ", seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := rand.New(rand.NewPCG(seed, 0))
					s := &spy{latency: latency, most: 20_000}
					l := &load{start: time.Now(), limit: throttle.Limit{Rate: rate.Limit(1 + r.IntN(500)), Burst: 1 + r.IntN(100)}}
					l.run(t, r, s)
					if n := len(s.asked()); n > 2*l.calls+100 {
						t.Errorf("%+v: asked %d times for %d calls", l.limit, n, l.calls)
					}
					if l.early > time.Microsecond {
						t.Errorf("%+v: a call %v too early", l.limit, l.early)
					}
				})
			})
		}
	}
}

// An erraticStore is one whose questions and answers are under way for times that
// differ, up to most each way.
type erraticStore struct {
	throttle.Memory
	most time.Duration

	mu sync.Mutex
	r  *rand.Rand
}

func (s *erraticStore) travel() {
	s.mu.Lock()
	d := time.Duration(s.r.Int64N(int64(s.most)))
	s.mu.Unlock()
	time.Sleep(d)
}

func (s *erraticStore) Ask(ctx context.Context, a throttle.Ask) (throttle.Answer, error) {
	s.travel()
	defer s.travel()
	return s.Memory.Ask(ctx, a)
}

// Slots are where they are by the clock of the store, whenever an answer comes, and
// however little is known yet of how the clocks stand. A tolerance that is shorter
// than the ways may differ cannot make up for that: there a call or two come early.
func TestErraticStore(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			s := &erraticStore{most: 10 * time.Millisecond, r: rand.New(rand.NewPCG(seed, 1))}
			l := &load{start: time.Now(), limit: throttle.Limit{Rate: rate.Limit(1 + r.IntN(500)), Burst: 1 + r.IntN(100)}}
			l.run(t, r, s)
			interval, most := time.Duration(float64(time.Second)/float64(l.limit.Rate)), time.Microsecond
			if time.Duration(l.limit.Burst-1)*interval < 2*s.most {
				most = 2 * interval
			}
			if l.early > most {
				t.Errorf("seed %d, %+v: a call %v too early", seed, l.limit, l.early)
			}
		})
	}
}

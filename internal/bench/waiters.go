package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/throttle"
)

// waiters are goroutines that sleep in the Wait of one limiter.
func waiters() (all []row) {
	for _, n := range []int{1, 1000, 100_000} {
		all = append(all,
			row{
				name: "waiters/join, " + thousands(n), unit: "ns each", open: queueing(n, joined), rounds: 3, aim: aim{allocs: anyAllocs},
				about: "So many goroutines start, and wait for one limiter (if it is one, on each of 1,000). The bytes are those of the heap and the stacks.",
			}, row{
				name: "waiters/cancel, " + thousands(n), unit: "ns each", open: queueing(n, left), rounds: 3, aim: aim{allocs: anyAllocs},
				about: "They all give up at once, and end.",
			})
	}
	exact := aim{notEarly: true, most: 10, allocs: anyAllocs}
	return append(all,
		row{
			name: "waiters/released, 1,000", unit: "ms late", aim: exact, rounds: 1, open: releasing(1000, 1000, 100),
			about: "1,000 goroutines wait again and again for one limiter of 1,000 a second and a burst of 100: how much later than the limit allows the last call goes, by the wall clock. Less than 0 is too early.",
		}, row{
			name: "waiters/released, 100,000", unit: "ms late", aim: exact, rounds: 1, open: releasing(100_000, 50_000, 5000),
			about: "The same for 100,000 goroutines, 50,000 a second and a burst of 5,000.",
		}, row{
			name: "waiters/released one by one", unit: "ms late", aim: aim{notEarly: true, allocs: anyAllocs}, rounds: 1, open: releasing(100, 100, 1),
			about: "The same for 100 goroutines, 100 a second and a burst of 1. A timer is a millisecond late, or more where others use the machine. Ours lets the next go a whole interval after that; x/time lets it go when it was planned, sooner than the limit says.",
		})
}

// thousands writes a number as people do.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// A limiter is what ours has in common with that of x/time.
type limiter interface {
	Wait(context.Context) error
	Tokens() float64
}

// A stay is what it costs so many to wait for a while.
type stay struct {
	joining, leaving float64 // ns each
	bytes            float64 // each
}

func joined(s stay) sample {
	joined := only(s.joining)
	joined.bytes = s.bytes
	return joined
}

func left(s stay) sample { return only(s.leaving) }

// queueing measures one of the figures of goroutines that wait, n for each
// limiter. If they are few there are more limiters.
func queueing(n int, which func(stay) sample) func(*bench) ([]contender, error) {
	return func(b *bench) ([]contender, error) {
		contend := func(name string, as role, open func() limiter) contender {
			return contender{name, as, func(time.Duration) (sample, error) {
				var limiters []limiter
				for len(limiters)*n < 1000 {
					limiters = append(limiters, open())
				}
				s, err := waitAndLeave(b.ctx, limiters, b.size(n))
				return which(s), err
			}}
		}
		slow := rate.Every(time.Hour)
		return []contender{
			contend("headway", ours, func() limiter { return throttle.NewLimiter(slow, 1) }),
			contend("x/time", peer, func() limiter { return rate.NewLimiter(slow, 1) }),
		}, nil
	}
}

func waitAndLeave(ctx context.Context, limiters []limiter, n int) (s stay, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := float64(len(limiters) * n)
	errs := make([]error, len(limiters)*n)
	before := memory()
	var wg sync.WaitGroup
	start := cpuTime()
	for i, lim := range limiters {
		if err := lim.Wait(ctx); err != nil {
			return s, err
		}
		for k := range n {
			wg.Go(func() { errs[i*n+k] = lim.Wait(ctx) })
		}
	}
	for _, lim := range limiters {
		for lim.Tokens() > 1-float64(n) && ctx.Err() == nil {
			time.Sleep(50 * time.Microsecond)
		}
	}
	s.joining = float64(max(1, cpuTime()-start)) / all
	s.bytes = float64(memory()-before) / all
	start = cpuTime()
	cancel()
	wg.Wait()
	s.leaving = float64(max(1, cpuTime()-start)) / all
	for _, err := range errs {
		if !errors.Is(err, context.Canceled) {
			return s, fmt.Errorf("a waiter that gave up has: %w", err)
		}
	}
	return s, nil
}

// memory is what is in use, without garbage.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// releasing measures how late the last of many calls goes.
func releasing(n int, perSecond rate.Limit, burst int) func(*bench) ([]contender, error) {
	return func(b *bench) ([]contender, error) {
		contend := func(name string, as role, lim limiter) contender {
			return contender{name, as, func(time.Duration) (sample, error) {
				late, err := lateness(b, lim, b.size(n), perSecond, burst)
				return only(late.Seconds() * 1000), err
			}}
		}
		return []contender{
			contend("headway", ours, throttle.NewLimiter(perSecond, burst)),
			contend("x/time", peer, rate.NewLimiter(perSecond, burst)),
		}, nil
	}
}

// lateness lets goroutines make calls for about as long as the bench says.
func lateness(b *bench, lim limiter, workers int, perSecond rate.Limit, burst int) (time.Duration, error) {
	each := max(1, int(float64(perSecond)*b.long.Seconds())/workers)
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute+10*b.long)
	defer cancel()
	errs := make([]error, workers)
	start := time.Now()
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = repeat(each, func() error { return lim.Wait(ctx) }) })
	}
	wg.Wait()
	took := time.Since(start)
	bound := float64(max(0, each*workers-burst)) / float64(perSecond)
	return took - time.Duration(bound*float64(time.Second)), errors.Join(errs...)
}

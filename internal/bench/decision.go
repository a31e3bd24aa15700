package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/ratelimiter"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	uber "go.uber.org/ratelimit"
	"golang.org/x/time/rate"
	"resty.dev/v3"

	"github.com/headway-go/headway/throttle"
)

// decisions are one decision each: may I go? There is always enough, or never
// anything, so that nobody sleeps.
func decisions() []row {
	fast := aim{times: 1.3, peers: true}
	return []row{
		{
			name: "decision/allow", unit: "ns", aim: fast, open: allowing(1),
			about: "May I go now? Yes.",
		}, {
			name: "decision/allow on 2 cores", unit: "ns", aim: aim{peers: true}, open: allowing(2),
			about: "The same for two goroutines on one limiter. Shared processors are seldom both free: then there is little contention.",
		}, {
			name: "decision/denied", unit: "ns", aim: fast, open: denying(1),
			about: "May I go now? No. (uber waits in any case, and so does resty.)",
		}, {
			name: "decision/denied on 2 cores", unit: "ns", aim: aim{peers: true}, open: denying(2),
			about: "The same for two goroutines on one limiter.",
		}, {
			name: "decision/wait", unit: "ns", aim: fast, open: waiting(1, context.Background),
			about: "Wait until I may go; it is at once.",
		}, {
			name: "decision/wait with a deadline", unit: "ns", aim: aim{times: 1.5, peers: true}, open: waiting(1, nil),
			about: "The same with a context that ends in an hour.",
		}, {
			name: "decision/wait on 2 cores", unit: "ns", aim: aim{peers: true}, open: waiting(2, context.Background),
			about: "Wait for two goroutines on one limiter.",
		}, {
			name: "decision/two limits", unit: "ns", aim: aim{peers: true}, open: twoLimits,
			about: "Wait for two limits on one call. Ours charges both or none; the peers and the floor one after the other.",
		},
	}
}

const (
	plenty = math.MaxInt32
	often  = 1e9 // calls a second
)

var errDecision = errors.New("the limiter decided otherwise than it should")

// must is an operation that has to come out as said.
func must(want bool, decide func() bool) func() error {
	return func() error {
		if decide() != want {
			return errDecision
		}
		return nil
	}
}

// A least is the floor of a decision: the GCRA, by one clock read and one
// compare-and-swap, for one limit and nothing else.
type least struct {
	tat              atomic.Int64
	interval, window int64
}

var epoch = time.Now()

func (l *least) allow() bool {
	now := int64(time.Since(epoch))
	for {
		tat := l.tat.Load()
		next := max(tat, now) + l.interval
		if next-l.window > now {
			return false
		}
		if l.tat.CompareAndSwap(tat, next) {
			return true
		}
	}
}

func newLeast() *least { return &least{interval: 1, window: plenty} }

func allowing(workers int) func(*bench) ([]contender, error) {
	return func(b *bench) ([]contender, error) {
		shared, err := throttledLimiter(throttled.PerSec(often), plenty-1)
		if err != nil {
			return nil, err
		}
		taker, bucket := uber.New(often), resty.NewRateLimitTokenBucket(often, plenty)
		return []contender{
			crowd(workers, "floor", floor, must(true, newLeast().allow)),
			crowd(workers, "headway", ours, must(true, throttle.NewLimiter(often, plenty).Allow)),
			crowd(workers, "x/time", peer, must(true, rate.NewLimiter(often, plenty).Allow)),
			crowd(workers, "uber", peer, func() error { taker.Take(); return nil }),
			crowd(workers, "failsafe", peer, must(true, ratelimiter.NewSmoothWithMaxRate[any](1).TryAcquirePermit)),
			crowd(workers, "throttled", peer, must(true, shared)),
			crowd(workers, "resty", peer, func() error { return bucket.Allow(b.ctx) }),
		}, nil
	}
}

func denying(workers int) func(*bench) ([]contender, error) {
	return func(*bench) ([]contender, error) {
		shared, err := throttledLimiter(throttled.PerDay(1), 0)
		if err != nil {
			return nil, err
		}
		day := int64(24 * time.Hour)
		all := []contender{}
		for _, d := range []struct {
			name  string
			as    role
			allow func() bool
		}{
			{"floor", floor, (&least{interval: day, window: day}).allow},
			{"headway", ours, throttle.NewLimiter(rate.Every(24*time.Hour), 1).Allow},
			{"x/time", peer, rate.NewLimiter(rate.Every(24*time.Hour), 1).Allow},
			{"failsafe", peer, ratelimiter.NewSmoothWithMaxRate[any](24 * time.Hour).TryAcquirePermit},
			{"throttled", peer, shared},
		} {
			if !d.allow() {
				return nil, fmt.Errorf("%s: %w", d.name, errDecision)
			}
			all = append(all, crowd(workers, d.name, d.as, must(false, d.allow)))
		}
		return all, nil
	}
}

// throttledLimiter asks throttled about one key, in a store that is a plain map.
func throttledLimiter(most throttled.Rate, burst int) (func() bool, error) {
	limited, err := throttledBy(0, most, burst)
	if err != nil {
		return nil, err
	}
	return func() bool { return !limited("key") }, nil
}

// throttledBy is for many keys: the store has room for so many, or for any number.
func throttledBy(room int, most throttled.Rate, burst int) (limited func(key string) bool, err error) {
	store, err := memstore.NewCtx(room)
	if err != nil {
		return nil, err
	}
	lim, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: most, MaxBurst: burst})
	if err != nil {
		return nil, err
	}
	lim.SetMaxCASAttemptsLimit(math.MaxInt) // it is an error else when many ask at once
	ctx := context.Background()
	return func(key string) bool {
		limited, _, err := lim.RateLimitCtx(ctx, key, 1)
		return limited || err != nil
	}, nil
}

// waiting measures waits on the given kind of context; nil is one that ends in
// an hour.
func waiting(workers int, kind func() context.Context) func(*bench) ([]contender, error) {
	return func(b *bench) ([]contender, error) {
		ctx, cancel := context.WithTimeout(b.ctx, time.Hour)
		b.cleanup(cancel)
		if kind != nil {
			ctx = kind()
		}
		bare := newLeast()
		smooth := ratelimiter.NewSmoothWithMaxRate[any](1)
		bucket := resty.NewRateLimitTokenBucket(often, plenty)
		lim, xtime := throttle.NewLimiter(often, plenty), rate.NewLimiter(often, plenty)
		return []contender{
			crowd(workers, "floor", floor, must(true, bare.allow)),
			crowd(workers, "headway", ours, func() error { return lim.Wait(ctx) }),
			crowd(workers, "x/time", peer, func() error { return xtime.Wait(ctx) }),
			crowd(workers, "failsafe", peer, func() error { return smooth.AcquirePermit(ctx) }),
			crowd(workers, "resty", peer, func() error { return bucket.Allow(ctx) }),
		}, nil
	}
}

func twoLimits(b *bench) ([]contender, error) {
	budget, err := throttle.NewBudget(
		throttle.Limit{Rate: often, Burst: plenty},
		throttle.Limit{Rate: often / 2, Burst: plenty},
	)
	if err != nil {
		return nil, err
	}
	bare := [2]*least{newLeast(), newLeast()}
	xtime := [2]*rate.Limiter{rate.NewLimiter(often, plenty), rate.NewLimiter(often/2, plenty)}
	return []contender{
		loop("floor", floor, must(true, func() bool { return bare[0].allow() && bare[1].allow() })),
		loop("headway", ours, func() error { return budget.Wait(b.ctx) }),
		loop("x/time", peer, func() error { return errors.Join(xtime[0].Wait(b.ctx), xtime[1].Wait(b.ctx)) }),
	}, nil
}

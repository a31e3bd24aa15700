package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/headway-go/headway/internal/redisserver"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/redisstore"
	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"
)

// callers is how many make calls at the same time.
const callers = 64

// A sharer is one of those that are compared. Its wait returns when a call may
// go.
type sharer struct {
	name string
	open func(tb testing.TB, client *redis.Client, perSecond, burst int) (wait func(context.Context) error)
}

var sharers = []sharer{
	{"headway", func(tb testing.TB, client *redis.Client, perSecond, burst int) func(context.Context) error {
		b, err := throttle.NewBudget(throttle.Limit{Rate: rate.Limit(perSecond), Burst: burst})
		if err != nil {
			tb.Fatal(err)
		}
		s := &redisstore.Store{Client: client, Timeout: time.Second}
		s.Observe = func(e redisstore.Event) { tb.Errorf("without Redis: %+v", e) }
		b.SetStore(s, tb.Name())
		return b.Wait
	}},
	{"redis_rate", func(tb testing.TB, client *redis.Client, perSecond, burst int) func(context.Context) error {
		l, key := redis_rate.NewLimiter(client), tb.Name()
		limit := redis_rate.Limit{Rate: perSecond, Burst: burst, Period: time.Second}
		return func(ctx context.Context) error {
			for {
				res, err := l.Allow(ctx, key, limit)
				if err != nil || res.Allowed > 0 {
					return err
				}
				time.Sleep(res.RetryAfter)
			}
		}
	}},
}

// A load is what the limit is, beside what is wanted.
var loads = []struct {
	name             string
	perSecond, burst int
}{
	{"never waits", 1_000_000, 100_000}, // as fast as the limiter itself can be
	{"500 a second", 500, 50},           // as fast as the limit allows
}

func BenchmarkRedis(b *testing.B) {
	client, ops := start(b)
	for _, load := range loads {
		for _, l := range sharers {
			b.Run(load.name+"/"+l.name, func(b *testing.B) {
				wait := l.open(b, client, load.perSecond, load.burst)
				call(b, wait, callers) // connections are made, scripts are sent
				before := ops.sent.Load()
				b.ResetTimer()
				call(b, wait, b.N)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
				b.ReportMetric(float64(ops.sent.Load()-before)/float64(b.N), "ops/call")
				b.ReportMetric(0, "ns/op") // of 64 at a time: it says nothing
			})
		}
	}
}

// call makes n calls.
func call(tb testing.TB, wait func(context.Context) error, n int) {
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := wait(tb.Context()); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// What the benchmark says of operations is no matter of luck.
func TestOperations(t *testing.T) {
	client, ops := start(t)
	const n = 5000
	got := map[string]float64{}
	for _, l := range sharers {
		t.Run(l.name, func(t *testing.T) {
			before := ops.sent.Load()
			call(t, l.open(t, client, 1_000_000, 100_000), n)
			got[l.name] = float64(ops.sent.Load()-before) / n
		})
	}
	if got["headway"] > 0.1 || got["redis_rate"] < 1 {
		t.Errorf("operations a call: %v, want 0.1 at most, and 1 at least", got)
	}
}

// start runs a redis-server until the test ends, and returns a client of it.
func start(tb testing.TB) (*redis.Client, *counter) {
	tb.Helper()
	s, err := redisserver.Start(tb.Context())
	if errors.Is(err, redisserver.ErrNone) && !slices.Contains(strings.Split(os.Getenv("HEADWAY_REQUIRE"), ","), "redis-server") {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	client := redis.NewClient(&redis.Options{Addr: s.Addr})
	tb.Cleanup(func() { _ = client.Close() })
	ops := &counter{}
	client.AddHook(ops)
	return client, ops
}

package realservers

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/sethvargo/go-limiter/httplimit"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/middleware/stdlib"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	"golang.org/x/time/rate"
)

// A middleware is a server that is a Go package in front of a handler.
type middleware struct {
	server
	limit    limiterFunc
	ownClock bool // it asks another clock than time.Now
}

var middlewares = []middleware{
	chiHTTPRate(50, 2*time.Second),
	chiHTTPRate(80, 5*time.Second),
	throttledGCRA(50, 20),
	throttledGCRA(20, 40),
	ulule(50, 2*time.Second),
	goLimiter(50, 2*time.Second),
	xTime(50, 20),
}

// windowed is for those who count by windows. A burst and the rate together
// would be more than that.
func windowed(name string, limit int, window time.Duration, ideal func(int) time.Duration, l limiterFunc) middleware {
	return middleware{limit: l, server: server{
		name:      name + " " + strconv.Itoa(limit) + " in " + window.String(),
		rate:      rate.Limit(float64(limit) / window.Seconds()),
		burst:     1,
		atOnce:    limit,
		ideal:     ideal,
		publishes: true,
		open:      served(l),
	}}
}

func bucketed(name string, perSecond, burst int, publishes bool, l limiterFunc) middleware {
	return middleware{limit: l, server: server{
		name:      name + " " + strconv.Itoa(perSecond) + " a second, burst " + strconv.Itoa(burst),
		rate:      rate.Limit(perSecond),
		burst:     burst,
		atOnce:    burst,
		ideal:     bucket(perSecond, burst),
		publishes: publishes,
		open:      served(l),
	}}
}

// chiHTTPRate counts by windows that begin when it is made, and adds what is
// left of the one before. It publishes X-RateLimit-Limit, -Remaining and -Reset,
// the end of the window cut off to a whole second, and asks those it refuses to
// wait for a whole window.
func chiHTTPRate(limit int, window time.Duration) middleware {
	return windowed("httprate", limit, window, slidingCounter(limit, window),
		func(_ *testing.T, next http.Handler) http.Handler {
			return httprate.LimitBy(limit, window, httprate.Key("*"))(next)
		})
}

// throttledGCRA publishes X-RateLimit-Limit, which is the burst, -Remaining, and
// -Reset, the time until it is full again, rounded up to a whole second, as is
// the Retry-After of a refusal.
func throttledGCRA(perSecond, burst int) middleware {
	return bucketed("throttled", perSecond, burst, true,
		func(t *testing.T, next http.Handler) http.Handler {
			store, err := memstore.NewCtx(100)
			if err != nil {
				t.Fatal(err)
			}
			quota := throttled.RateQuota{MaxRate: throttled.PerSec(perSecond), MaxBurst: burst - 1}
			gcra, err := throttled.NewGCRARateLimiterCtx(store, quota)
			if err != nil {
				t.Fatal(err)
			}
			gcra.SetMaxCASAttemptsLimit(1000) // with 10 it may answer 500 to a crowd
			return (&throttled.HTTPRateLimiterCtx{RateLimiter: gcra}).RateLimit(next)
		})
}

// ulule counts by windows. It publishes X-RateLimit-Limit, -Remaining and
// -Reset, the end of the window cut off to a whole second, and no Retry-After.
func ulule(limit int, window time.Duration) middleware {
	return windowed("ulule", limit, window, fixedWindow(limit, window),
		func(_ *testing.T, next http.Handler) http.Handler {
			store := memory.NewStoreWithOptions(limiter.StoreOptions{}) // nothing in the background
			l := limiter.New(store, limiter.Rate{Period: window, Limit: int64(limit)})
			return stdlib.NewMiddleware(l).Handler(next)
		})
}

// goLimiter counts by windows. It publishes X-RateLimit-Limit, -Remaining and
// -Reset, a date, as is the Retry-After of a refusal.
func goLimiter(limit int, window time.Duration) middleware {
	m := windowed("go-limiter", limit, window, fixedWindow(limit, window),
		func(t *testing.T, next http.Handler) http.Handler {
			store, err := memorystore.New(&memorystore.Config{Tokens: uint64(limit), Interval: window})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close(t.Context()) })
			m, err := httplimit.NewMiddleware(store, httplimit.IPKeyFunc())
			if err != nil {
				t.Fatal(err)
			}
			return m.Handle(next)
		})
	m.ownClock = true
	return m
}

// xTime is golang.org/x/time/rate in front of a handler, as it is often written
// by hand. It publishes nothing.
func xTime(perSecond, burst int) middleware {
	return bucketed("x/time/rate", perSecond, burst, false,
		func(_ *testing.T, next http.Handler) http.Handler {
			l := rate.NewLimiter(rate.Limit(perSecond), burst)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !l.Allow() {
					http.Error(w, "slow down", http.StatusTooManyRequests)
					return
				}
				next.ServeHTTP(w, r)
			})
		})
}

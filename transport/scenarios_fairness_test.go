package transport_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// sidekiq/sidekiq#5315, bookingcom/carbonapi#35, clipperhouse/rate#14, #30: who
// gets a slot is luck.
func TestWorkersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, MaxWait: -1, Limits: transport.Limits{"/": {{Rate: 5}}}}
		ctx, cancel := contextWithTimeout(t, time.Minute)
		defer cancel()
		done := make([]int, 100)
		var mu sync.Mutex
		var longest time.Duration
		var wg sync.WaitGroup
		crowd(&wg, 100, func(i int) {
			for {
				start := time.Now()
				if _, err := attempt(tr, get(t, api).WithContext(ctx)); err != nil {
					return
				}
				mu.Lock()
				longest = max(longest, time.Since(start))
				done[i]++
				mu.Unlock()
			}
		})
		wg.Wait()
		if len(base.at) != 300 || slices.Min(done) < 2 || slices.Max(done) > 4 || longest > 20500*time.Millisecond {
			t.Errorf("%d sent, %d to %d a worker, longest wait %v", len(base.at), slices.Min(done), slices.Max(done), longest)
		}
	})
}

// palantir/conjure-java-runtime#939, vectorize-io/hindsight#4157: who asks for
// one thing waits behind who asks for all.
func TestInteractiveCallPassesTheBulk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, MaxWait: -1, Limits: transport.Limits{"/": {{Rate: 10}}}}
		var wg sync.WaitGroup
		for range 5000 {
			wg.Go(func() { do(t, tr, get(t, api)) })
		}
		time.Sleep(1050 * time.Millisecond)
		start := time.Now()
		req := get(t, api)
		do(t, tr, req.WithContext(throttle.WithPriority(req.Context(), throttle.High)))
		if took := time.Since(start); took > 200*time.Millisecond {
			t.Errorf("it waited %v", took)
		}
		wg.Wait()
		base.wantAt(t, steps(5001, 0, 100*time.Millisecond)...)
	})
}

// vectorize-io/hindsight#3130, argoproj/argo-workflows#9875,
// EverMind-AI/EverOS#396, nelssec/qualys-mcp#143: a permit is held asleep.
func TestNoPermitIsHeldAsleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(func(req *http.Request) (*http.Response, error) {
			if req.URL.Host == "a" {
				return answer(429, "", "Retry-After", "6")(req)
			}
			return answer(200, "")(req)
		})
		tr := &transport.Transport{Base: slowBase{base, time.Millisecond}, MaxConcurrent: 2, MaxAttempts: 2, Backoff: still}
		var wg sync.WaitGroup
		crowd(&wg, 2, func(int) { do(t, tr, get(t, "http://a/")) })
		time.Sleep(time.Second)
		do(t, tr, get(t, "http://b/"))
		for _, s := range tr.Budgets() {
			if s.InFlight != 0 {
				t.Errorf("%s: %d in flight", s.Key, s.InFlight)
			}
		}
		wg.Wait()
		if len(base.at) != 5 || base.at[1] != 0 || base.at[2] != time.Second {
			t.Errorf("sent at %v, want the other host to be called at 1s", base.at)
		}
	})
}

// The same reports, within one budget: a call that waits after a fault is in
// nobody's way.
func TestNoPermitIsHeldAfterAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(503, ""), answer(200, ""))
		tr := &transport.Transport{Base: base, MaxConcurrent: 1, Backoff: backoff.Policy{Min: 6 * time.Second, Jitter: backoff.NoJitter}}
		var wg sync.WaitGroup
		crowd(&wg, 1, func(int) { do(t, tr, get(t, api)) })
		time.Sleep(time.Second)
		do(t, tr, get(t, api))
		wg.Wait()
		base.wantAt(t, seconds(0, 1, 6)...)
	})
}

// e2b-dev/E2B#1666, #1675, tower-rs/tower-http#447, blaxel-ai/sdk-typescript#322:
// the permit is back when the header comes, and streams are not counted.
func TestStreamHoldsItsPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 100, Burst: 10, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range 10 {
				_, _ = io.WriteString(w, "tick\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		})})
		tr := &transport.Transport{Base: srv.Client().Transport, MaxConcurrent: 1, MaxWait: -1}
		var wg sync.WaitGroup
		crowd(&wg, 2, func(int) { do(t, tr, get(t, srv.URL)) })
		wg.Wait()
		if seen := srv.Arrivals(); len(seen) != 2 || seen[1].At.Sub(seen[0].At) != 10*time.Second {
			t.Errorf("arrivals %v, want the second 10s after the first", seen)
		}
	})
}

// ephpm/ephpm#301, zoxy-io/zoxy#138, 3rd-Eden/memcached#80,
// cyanheads/mcp-ts-core#454: a queue without end.
func TestQueueHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := onePerSecond(base)
		tr.MaxQueue, tr.MaxWait = 100, -1
		start := time.Now()
		var mu sync.Mutex
		full := 0
		var wg sync.WaitGroup
		for range 10_000 {
			wg.Go(func() {
				_, err := attempt(tr, get(t, api))
				if err == nil {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if full++; !errors.Is(err, throttle.ErrQueueFull) || time.Since(start) != 0 {
					t.Errorf("RoundTrip = %v after %v", err, time.Since(start))
				}
			})
		}
		wg.Wait()
		if full != 9899 {
			t.Errorf("%d refused, want 9899", full)
		}
		base.wantAt(t, steps(101, 0, time.Second)...)
	})
}

// The same reports: a refused call starts at the end of the queue.
func TestRefusedCallKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		base := newScript(func(req *http.Request) (*http.Response, error) {
			order = append(order, req.URL.Path)
			if len(order) == 3 {
				return answer(429, "", "Retry-After", "5")(req)
			}
			return answer(200, "")(req)
		})
		tr := &transport.Transport{Base: base, MaxWait: -1, Backoff: still, Limits: transport.Limits{"/": {{Rate: 1}}}}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { do(t, tr, get(t, fmt.Sprintf("https://api.example.com/%02d", i))) })
			synctest.Wait()
		}
		wg.Wait()
		if len(order) != 21 || order[2] != order[3] || !slices.IsSorted(order) {
			t.Errorf("sent in the order %v", order)
		}
	})
}

package throttletest_test

import (
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
)

// In any window, at most burst + rate·window calls are admitted.
func TestNeverMoreThanTheLimit(t *testing.T) {
	const burst, rate = 4, 2.5
	bubble(t, "random arrivals", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		h := newHandler(t, throttletest.Config{Rate: rate, Burst: burst})
		for range 2000 {
			time.Sleep(time.Duration(rng.ExpFloat64() * float64(200*time.Millisecond)))
			call(h, "/")
		}
		admitted := slices.DeleteFunc(h.Arrivals(), func(a throttletest.Arrival) bool { return !a.Admitted })
		if len(admitted) < 1000 || h.Refused() < 100 {
			t.Fatalf("%d admitted, %d refused: too few to tell", len(admitted), h.Refused())
		}
		for i, first := range admitted {
			for n, last := range admitted[i:] {
				// In whole numbers: n + 1 calls within (n + 1 − burst) intervals of 0.4 s.
				if room := last.At.Sub(first.At); room < time.Duration(n+1-burst)*400*time.Millisecond {
					t.Fatalf("%d calls within %v", n+1, room)
				}
			}
		}
	})
}

// A client that keeps to the limit by itself is never refused.
func TestNeverRefusesAConformingCall(t *testing.T) {
	bubble(t, "paced", func(t *testing.T) {
		h := newHandler(t, throttletest.Config{Rate: 3, Burst: 5})
		for n := range 500 {
			call(h, "/")
			if n >= 4 {
				time.Sleep(time.Second/3 + 1) // a third of a second is no whole number of nanoseconds
			}
		}
		if got := h.Refused(); got != 0 {
			t.Errorf("%d calls refused, want 0", got)
		}
	})
}

func TestArrivals(t *testing.T) {
	bubble(t, "fields", func(t *testing.T) {
		start := time.Now()
		h := newHandler(t, throttletest.Config{
			Rate: 1, Burst: 2,
			Key:  func(r *http.Request) string { return r.URL.Query().Get("key") },
			Cost: func(r *http.Request) int { n, _ := strconv.Atoi(r.URL.Query().Get("cost")); return n },
		})
		call(h, "/a?key=k&cost=2")
		time.Sleep(250 * time.Millisecond)
		call(h, "/b?key=k&cost=1")
		call(h, "/c?cost=3")
		call(h, "/d?cost=-5")
		h.Script(throttletest.Answer{})
		call(h, "/e?cost=1")

		later := start.Add(250 * time.Millisecond)
		want := []throttletest.Arrival{
			{At: start, Method: "GET", Path: "/a", Key: "k", Cost: 2, Admitted: true},
			{At: later, Method: "GET", Path: "/b", Key: "k", Cost: 1, Wait: 750 * time.Millisecond},
			{At: later, Method: "GET", Path: "/c", Cost: 3, Wait: -1},
			{At: later, Method: "GET", Path: "/d", Cost: 0, Admitted: true},
			{At: later, Method: "GET", Path: "/e", Cost: 1, Scripted: true},
		}
		for range 2 { // the second time too, after the caller has changed its copy
			got := h.Arrivals()
			if !slices.Equal(got, want) {
				t.Errorf("Arrivals = %+v\nwant %+v", got, want)
			}
			clear(got)
		}
		if h.Admitted() != 2 || h.Refused() != 2 {
			t.Errorf("%d admitted, %d refused, want 2 and 2", h.Admitted(), h.Refused())
		}
	})
}

// Each key has the whole limit, from the start of the server on.
func TestKeys(t *testing.T) {
	bubble(t, "path", func(t *testing.T) {
		h := newHandler(t, throttletest.Config{
			Rate: 1, Burst: 3, Spent: 3,
			Key: func(r *http.Request) string { return r.URL.Path },
		})
		time.Sleep(2 * time.Second)
		for _, tt := range []struct {
			path string
			want int
		}{{"/a", 200}, {"/a", 200}, {"/a", 429}, {"/b", 200}, {"/b", 200}, {"/b", 429}} {
			if got := call(h, tt.path).StatusCode; got != tt.want {
				t.Errorf("status of %s = %d, want %d", tt.path, got, tt.want)
			}
		}
	})
}

// A call that costs more than the burst is refused for ever, without a lie about
// when to come again.
func TestCostAboveBurst(t *testing.T) {
	for form := throttletest.RetryAfterSeconds; form <= throttletest.RetryAfterNone; form++ {
		bubble(t, strconv.Itoa(int(form)), func(t *testing.T) {
			h := newHandler(t, throttletest.Config{
				Rate: 0.5, Burst: 2, RetryAfter: form,
				Dialect: throttletest.SpringCloudGateway,
				Cost:    func(*http.Request) int { return math.MaxInt },
			})
			resp := call(h, "/")
			check(t, "only", resp, http.StatusTooManyRequests, fields{
				"X-Ratelimit-Replenish-Rate": "1", "X-Ratelimit-Burst-Capacity": "4",
				"X-Ratelimit-Requested-Tokens": "9223372036854775807", "X-Ratelimit-Remaining": "4",
			})
		})
	}
}

// Refused calls cost what is left, so that knocking too early starts the wait
// anew.
func TestCountRefused(t *testing.T) {
	bubble(t, "knock", func(t *testing.T) {
		h := newHandler(t, throttletest.Config{Rate: 1, CountRefused: true, RetryAfter: throttletest.RetryAfterExact})
		call(h, "/")
		for range 3 {
			time.Sleep(900 * time.Millisecond)
			resp := call(h, "/")
			if got := resp.Header.Get("Retry-After"); resp.StatusCode != 429 || got != "1" {
				t.Errorf("after 0.9 s: %d, Retry-After %s, want 429 and 1", resp.StatusCode, got)
			}
		}
		time.Sleep(time.Second)
		if got := call(h, "/").StatusCode; got != 200 {
			t.Errorf("status after a wait of the whole second = %d, want 200", got)
		}
	})
}

// Under CountRefused, a call that can never be admitted empties the budget.
func TestCountRefusedAboveBurst(t *testing.T) {
	bubble(t, "empty", func(t *testing.T) {
		h := newHandler(t, throttletest.Config{
			Rate: 1, Burst: 5, CountRefused: true, Dialect: throttletest.RemainingOnly,
			Cost: func(*http.Request) int { return 6 },
		})
		if got := call(h, "/").Header.Get("RateLimit-Remaining"); got != "0" {
			t.Errorf("remaining = %s, want 0", got)
		}
	})
}

// SetLimit keeps the level in calls: of 10 with 6 left, 6 are left of 8 and of
// 100 too, but only 4 of 4. Budgets that nobody has used yet change alike.
func TestSetLimitKeepsTheLevel(t *testing.T) {
	for _, tt := range []struct {
		rate             float64
		burst            int
		remaining, fresh string
	}{
		{2, 10, "6", "9"},
		{0.3, 8, "6", "7"},
		{7.0 / 3, 100, "6", "9"},
		{1, 4, "4", "3"},
		{1, 0, "1", "0"},
	} {
		bubble(t, strconv.Itoa(tt.burst), func(t *testing.T) {
			h := newHandler(t, throttletest.Config{
				Rate: 1, Burst: 10, Dialect: throttletest.RemainingOnly,
				Key:  func(r *http.Request) string { return r.URL.Path },
				Cost: func(r *http.Request) int { return len(r.URL.RawQuery) },
			})
			call(h, "/?1111")
			if err := h.SetLimit(tt.rate, tt.burst); err != nil {
				t.Fatal(err)
			}
			if got := call(h, "/").Header.Get("RateLimit-Remaining"); got != tt.remaining {
				t.Errorf("remaining after SetLimit(%v, %d) = %s, want %s", tt.rate, tt.burst, got, tt.remaining)
			}
			if got := call(h, "/fresh?1").Header.Get("RateLimit-Remaining"); got != tt.fresh {
				t.Errorf("remaining of a new key after SetLimit(%v, %d) = %s, want %s", tt.rate, tt.burst, got, tt.fresh)
			}
		})
	}
}

// What came back before SetLimit came back at the old rate.
func TestSetLimitFillsAtTheOldRate(t *testing.T) {
	bubble(t, "half", func(t *testing.T) {
		h := newHandler(t, throttletest.Config{Rate: 1, RetryAfter: throttletest.RetryAfterExact})
		call(h, "/")
		time.Sleep(500 * time.Millisecond)
		if err := h.SetLimit(0.1, 1); err != nil {
			t.Fatal(err)
		}
		if got := call(h, "/").Header.Get("Retry-After"); got != "5" {
			t.Errorf("Retry-After = %s, want 5: half a call at one in ten seconds", got)
		}
	})
}

// A limit that cannot be used changes nothing.
func TestSetLimitRefusesNonsense(t *testing.T) {
	h := newHandler(t, throttletest.Config{Rate: 2, Window: 3 * time.Second})
	for _, tt := range []struct {
		rate  float64
		burst int
	}{{0, 1}, {1, -1}, {0.5, 1}} { // the last is no whole number in three seconds
		if err := h.SetLimit(tt.rate, tt.burst); err == nil {
			t.Errorf("SetLimit(%v, %d) = nil, want an error", tt.rate, tt.burst)
		}
	}
	if got, want := call(h, "/").Header.Get("RateLimit-Policy"), `"default";q=6;w=3;burst=1`; got != want {
		t.Errorf("RateLimit-Policy = %s, want %s", got, want)
	}
}

func TestBound(t *testing.T) {
	for _, tt := range []struct {
		config throttletest.Config
		n      int
		want   time.Duration
	}{
		{throttletest.Config{Rate: 10, Burst: 5}, 5, 0},
		{throttletest.Config{Rate: 10, Burst: 5}, 105, 10 * time.Second},
		{throttletest.Config{Rate: 10, Burst: 5, Spent: 5}, 1, 100 * time.Millisecond},
		{throttletest.Config{Rate: 3}, 2, time.Second/3 + 1},
		{throttletest.Config{Rate: 1}, math.MinInt, 0},
		{throttletest.Config{Rate: 1e-9}, math.MaxInt, math.MaxInt64},
	} {
		if got := newHandler(t, tt.config).Bound(tt.n); got != tt.want {
			t.Errorf("Bound(%d) of %+v = %v, want %v", tt.n, tt.config, got, tt.want)
		}
	}
}

// The n-th call is admitted at Bound(n), and not a nanosecond before.
func TestBoundIsReached(t *testing.T) {
	bubble(t, "greedy", func(t *testing.T) {
		h := newHandler(t, throttletest.Config{Rate: 7, Burst: 4, Spent: 1})
		start := time.Now()
		for n := 1; n <= 200; n++ {
			if wait := h.Bound(n) - time.Since(start); wait > 0 {
				freeAfter(t, h, wait)
			} else if got := call(h, "/").StatusCode; got != http.StatusOK {
				t.Errorf("call %d is answered %d at Bound, want 200", n, got)
			}
		}
	})
}

// The Config's own status and handler are used, and the handler sees the fields.
func TestStatusAndHandler(t *testing.T) {
	h := newHandler(t, throttletest.Config{
		Rate: 1, Status: http.StatusForbidden, Dialect: throttletest.GitHub,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Del("X-RateLimit-Used")
			w.WriteHeader(http.StatusTeapot)
		}),
	})
	first, second := call(h, "/"), call(h, "/")
	if first.StatusCode != http.StatusTeapot || first.Header.Get("X-RateLimit-Remaining") != "0" || first.Header.Get("X-RateLimit-Used") != "" {
		t.Errorf("admitted: %d %v, want 418 with remaining 0 and no used", first.StatusCode, first.Header)
	}
	if second.StatusCode != http.StatusForbidden || second.Header.Get("X-RateLimit-Used") != "1" {
		t.Errorf("refused: %d %v, want 403 with used 1", second.StatusCode, second.Header)
	}
}

package transport_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// softonic/axios-retry#17, #66, panoramicdata/PanoramicData.OData.Client#43,
// #44: a POST ran six times.
func TestOnlyWhatIsSafeIsSentAgain(t *testing.T) {
	reset := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	})
	down, created := throttletest.Answer{Status: 503}, throttletest.Answer{Status: 201}
	busy := throttletest.Answer{Header: http.Header{"Retry-After": {"1"}}}
	for _, tt := range []struct {
		name, method string
		answers      []http.Handler
		hits         int
	}{
		{"POST, unavailable", "POST", []http.Handler{down, created}, 1},
		{"POST, connection reset", "POST", []http.Handler{reset, created}, 1},
		{"POST, refused", "POST", []http.Handler{busy, created}, 2},
		{"GET, unavailable twice", "GET", []http.Handler{down, down, created}, 3},
		{"GET, connection reset", "GET", []http.Handler{reset, created}, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1})
			srv.Script(tt.answers...)
			req := post(t, srv.URL, "x")
			req.Method = tt.method
			_, _ = attempt(&transport.Transport{Base: srv.Client().Transport}, req)
			if n := len(srv.Arrivals()); n != tt.hits {
				t.Errorf("%s: sent %d times, want %d", tt.name, n, tt.hits)
			}
		})
	}
}

// golang/go#19943: a POST with an Idempotency-Key may be repeated, with the
// same key.
func TestIdempotencyKeyStaysTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var keys []string
		base := newScript(answer(503, ""), answer(201, ""))
		tr := &transport.Transport{Base: roundTrip(func(req *http.Request) (*http.Response, error) {
			keys = append(keys, req.Header.Get("Idempotency-Key"))
			return base.RoundTrip(req)
		})}
		req := post(t, api, "x")
		req.Header.Set("Idempotency-Key", "k")
		if status, _ := do(t, tr, req); status != 201 || !slices.Equal(keys, []string{"k", "k"}) {
			t.Errorf("status %d, keys %q", status, keys)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// HKUDS/nanobot#2760, mpfaffenberger/code_puppy#317, BerriAI/litellm#25285:
// retries of several layers multiply.
func TestLayersDoNotMultiplyRetries(t *testing.T) {
	for name, last := range map[string]func(*http.Request) (*http.Response, error){
		"refused":     answer(429, "", "Retry-After", "0"),
		"unavailable": answer(503, ""),
	} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(last)
			inner := &transport.Transport{Base: base}
			_, _ = attempt(&transport.Transport{Base: inner}, get(t, api))
			if n := base.hits(); n != 4 {
				t.Errorf("%s: sent %d times, want 4", name, n)
			}
		})
	}
}

// The same reports: a layer above must be able to own the retries.
func TestRetriesCanBeTurnedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "0"))
		do(t, &transport.Transport{Base: base, MaxAttempts: 1}, get(t, api))
		if n := base.hits(); n != 1 {
			t.Errorf("MaxAttempts 1: sent %d times", n)
		}
		req := get(t, api)
		do(t, &transport.Transport{Base: base}, req.WithContext(throttle.WithoutLimit(req.Context())))
		if n := base.hits(); n != 2 {
			t.Errorf("WithoutLimit: sent %d times", n-1)
		}
	})
}

// kubernetes/kubernetes#34938, kubernetes/client-go#222,
// SGrondin/bottleneck#170, #223: retries pass the limiter by.
func TestRetriesArePacedAsWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seen := map[string]bool{}
		base := newScript(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			if seen[req.URL.Path] {
				return answer(200, "")(req)
			}
			seen[req.URL.Path] = true
			return answer(503, "")(req)
		})
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 2}}}}
		var wg sync.WaitGroup
		crowd(&wg, 5, func(i int) { do(t, tr, get(t, "http://api.example.com/"+string(rune('a'+i)))) })
		wg.Wait()
		base.wantAt(t, steps(10, 0, 500*time.Millisecond)...)
	})
}

// aws/aws-sdk-go-v2#1413, #3413, cockroachdb/cockroach#151748: what is kept for
// faults is used up by refusals, and a worker that is throttled stops.
func TestRefusalsDoNotUseUpTheRetriesForFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, down := 0, true
		base := newScript(func(req *http.Request) (*http.Response, error) {
			switch n++; {
			case down:
				return answer(503, "")(req)
			case n%2 == 1:
				return answer(429, "", "Retry-After", "1")(req)
			}
			return answer(200, "")(req)
		})
		tr := &transport.Transport{Base: base}
		for range 100 {
			do(t, tr, get(t, api))
		}
		if n > 130 {
			t.Errorf("%d attempts for 100 calls to a server that is down, want a fifth more, and ten", n)
		}
		n, down = 0, false
		for i := range 20 {
			if status, _ := do(t, tr, get(t, api)); status != 200 {
				t.Errorf("call %d: status %d", i, status)
			}
		}
		if n != 40 {
			t.Errorf("%d attempts", n)
		}
	})
}

// Azure/go-autorest#214: which count do refusals use up? All attempts of one
// call are one count, and the last answer is the caller's.
func TestFaultsAndRefusalsAreOneCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := answer(429, "busy", "Retry-After", "1")
		base := newScript(answer(503, ""), busy, busy, busy, busy, answer(200, ""))
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		tr := &transport.Transport{Base: base, Backoff: still, MaxAttempts: 4}
		if status, body := do(t, tr, get(t, api).WithContext(ctx)); status != 429 || body != "busy" {
			t.Errorf("%d %q, want the last refusal", status, body)
		}
		base.wantAt(t, seconds(0, 0.1, 1.1, 2.1)...)
	})
}

// HKUDS/nanobot#2760, mpfaffenberger/code_puppy#317, BerriAI/litellm#25285:
// retries of several layers multiply, here those of a connection that breaks.
func TestLayersDoNotMultiplyFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(fail(io.ErrUnexpectedEOF))
		inner := &transport.Transport{Base: base}
		_, _ = attempt(&transport.Transport{Base: inner}, get(t, api))
		if n := base.hits(); n != 4 {
			t.Errorf("sent %d times, want 4", n)
		}
	})
}

package limited

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/transport"
)

// server is a handler with a model of that name.
func server(t *testing.T, model, rate string, burst int64) *Handler {
	t.Helper()
	r, err := ParseRate(rate)
	if err != nil {
		t.Fatal(err)
	}
	s, err := byName(t, model, Models()).New(r, burst)
	if err != nil {
		t.Fatal(err)
	}
	return &Handler{Model: s}
}

func byName[T interface{ Choose() Choice }](t *testing.T, name string, all []T) T {
	t.Helper()
	i := slices.IndexFunc(all, func(v T) bool { return v.Choose().Name == name })
	if i < 0 {
		t.Fatalf("there is no %q", name)
	}
	return all[i]
}

func call(t *testing.T, h http.Handler) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	return w.Result()
}

// Every model admits its burst at once, and then refuses until it says that it
// will not.
func TestModels(t *testing.T) {
	for _, m := range Models() {
		t.Run(m.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := server(t, m.Name, "4/s", 4)
				h.RetryAfter = byName(t, "exact", RetryAfters())
				for i := range 4 {
					if got := call(t, h).StatusCode; got != http.StatusOK {
						t.Errorf("call %d: status %d, want 200", i+1, got)
					}
				}
				refused := call(t, h)
				if refused.StatusCode != http.StatusTooManyRequests {
					t.Fatalf("call 5: status %d, want 429", refused.StatusCode)
				}
				wait, err := time.ParseDuration(refused.Header.Get("Retry-After") + "s")
				if err != nil || wait <= 0 || wait > 2*time.Second {
					t.Fatalf("Retry-After %q: %v", refused.Header.Get("Retry-After"), err)
				}
				time.Sleep(wait)
				if got := call(t, h).StatusCode; got != http.StatusOK {
					t.Errorf("after Retry-After: status %d, want 200", got)
				}
				if sum := h.Summary(); sum.Allowed != 5 || sum.Refused != 1 || sum.Last-sum.First != wait {
					t.Errorf("summary %+v, want 5 admitted, 1 refused, in %v", sum, wait)
				}
			})
		})
	}
}

// Windows begin on the minute, as those of other servers do.
func TestWindowsBeginOnTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(50 * time.Second) // it was midnight
		h := server(t, "fixed-window", "1/min", 0)
		h.RetryAfter = byName(t, "seconds", RetryAfters())
		call(t, h)
		if got := call(t, h).Header.Get("Retry-After"); got != "10" {
			t.Errorf("Retry-After %q, want 10", got)
		}
	})
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := server(t, "gcra", "1/min", 2)
		h.Latency, h.Jitter, h.Status = time.Second, time.Second, http.StatusForbidden
		for _, want := range []int{200, 200, 403} {
			begun := time.Now()
			resp := call(t, h)
			if took := time.Since(begun); resp.StatusCode != want || took < time.Second || took >= 2*time.Second {
				t.Errorf("status %d after %v, want %d after one to two seconds", resp.StatusCode, took, want)
			}
		}
	})
}

// Who has gone is not waited for.
func TestLatencyEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := server(t, "gcra", "10/s", 2)
		h.Latency = time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		if took := time.Since(begun); took != time.Second {
			t.Errorf("it took %v, want 1s", took)
		}
	})
}

// handled calls a handler without a network.
type handled struct{ http.Handler }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// A Transport that has had one answer in a dialect that tells a rate keeps the
// limit: nothing is refused, and no more time is taken than it has to be.
func TestTransportKeepsTheLimit(t *testing.T) {
	for _, dialect := range []string{"ietf", "draft-07", "draft-06"} {
		t.Run(dialect, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := server(t, "token-bucket", "10/s", 5)
				h.Dialect = byName(t, dialect, Dialects())
				client := &http.Client{Transport: &transport.Transport{Base: handled{h}}}
				begun := time.Now()
				get(t, client)
				var all sync.WaitGroup
				for range 24 {
					all.Go(func() { get(t, client) })
				}
				all.Wait()
				sum, took, best := h.Summary(), time.Since(begun), 2*time.Second
				if sum.Allowed != 25 || sum.Refused > 0 || took > best+best/100 {
					t.Errorf("%d admitted, %d refused in %v, want 25, none, in %v", sum.Allowed, sum.Refused, took, best)
				}
			})
		})
	}
}

func get(t *testing.T, client *http.Client) {
	resp, err := client.Get("http://limited.test/")
	if err != nil {
		t.Error(err)
		return
	}
	resp.Body.Close()
}

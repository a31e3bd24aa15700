package limited

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
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
	m := byName(t, model, Models())
	s, err := m.New(r, burst)
	if err != nil {
		t.Fatal(err)
	}
	return &Handler{Model: s, Windowed: m.Windowed}
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

// Whenever it comes, a call is told how many more are admitted at once, and a
// refused one when it is admitted, and not a nanosecond before.
func TestWhatIsPublishedIsTrue(t *testing.T) {
	for _, m := range Models() {
		for _, rate := range []string{"4/s", "10/7s", "1/30s", "0.333"} {
			for seed := range uint64(20) {
				t.Run(fmt.Sprintf("%s %s %d", m.Name, rate, seed), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { testIsTrue(t, m.Name, rate, seed) })
				})
			}
		}
	}
}

func testIsTrue(t *testing.T, model, rate string, seed uint64) {
	same := make([]*Handler, 3) // of which each is asked one more question
	for i := range same {
		same[i] = server(t, model, rate, 5)
		same[i].Dialect, same[i].RetryAfter = byName(t, "draft-06", Dialects()), byName(t, "exact", RetryAfters())
	}
	var last *http.Response
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // G404: no secret
	interval := float64(time.Second) / same[0].Model.Policy().Rate.PerSecond()
	for range 5 + rng.IntN(30) {
		time.Sleep(time.Duration(1.5 * rng.Float64() * interval))
		for _, h := range same {
			last = call(t, h)
		}
	}
	admitted := 0
	for call(t, same[0]).StatusCode == http.StatusOK {
		admitted++
	}
	if got := last.Header.Get("RateLimit-Remaining"); got != strconv.Itoa(admitted) {
		t.Errorf("%s remain, but %d are admitted", got, admitted)
	}
	if last.StatusCode == http.StatusOK {
		return
	}
	wait, err := time.ParseDuration(last.Header.Get("Retry-After") + "s")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait - 1)
	early := call(t, same[1]).StatusCode
	time.Sleep(time.Nanosecond)
	if then := call(t, same[2]).StatusCode; early == http.StatusOK || then != http.StatusOK {
		t.Errorf("after %v: status %d, want 200, and %d just before, want a refusal", wait, then, early)
	}
}

// A client that has a body to send is heard out: it may not look for an answer
// before.
func TestBodyIsRead(t *testing.T) {
	h := server(t, "gcra", "1/min", 1)
	for _, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		body := strings.NewReader(strings.Repeat("x", 1<<20))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body))
		if w.Code != want || body.Len() > 0 {
			t.Errorf("status %d, want %d; %d bytes of the body are left", w.Code, want, body.Len())
		}
	}
}

// What GCRA keeps of a rate is T, but it is told as it was asked for.
func TestRateIsToldAsGiven(t *testing.T) {
	for _, m := range Models() {
		rate, _ := ParseRate("7/min")
		s, err := m.New(rate, 5)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Policy().Rate; got != rate {
			t.Errorf("%s: %v, want %v", m.Name, got, rate)
		}
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
	in := r.Clone(r.Context())
	in.Body = http.NoBody // which a server has in place of none
	h.ServeHTTP(w, in)
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
				took, best := call25(t, h), 2*time.Second
				if sum := h.Summary(); sum.Allowed != 25 || sum.Refused > 0 || took > best+best/100 {
					t.Errorf("%d admitted, %d refused in %v, want 25, none, in %v", sum.Allowed, sum.Refused, took, best)
				}
			})
		})
	}
}

// Nor is it told of a window what holds for a bucket: more than the count would
// go within one, and be refused.
func TestTransportKeepsToWindows(t *testing.T) {
	for _, tt := range []struct{ model, rate string }{
		{"fixed-window", "10/s"}, {"sliding-log", "10/s"}, {"sliding-counter", "10/s"},
		{"fixed-window", "2.5/s"}, {"sliding-log", "2.5/s"}, // which is 1 in 400 ms, told as 5 in 2 s
	} {
		for _, dialect := range []string{"ietf", "draft-07", "draft-06"} {
			t.Run(tt.model+" "+tt.rate+" "+dialect, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := server(t, tt.model, tt.rate, 0)
					h.Dialect = byName(t, dialect, Dialects())
					call25(t, h)
					if sum := h.Summary(); sum.Allowed != 25 || sum.Refused > 0 {
						t.Errorf("%d admitted, %d refused, want 25, none", sum.Allowed, sum.Refused)
					}
				})
			})
		}
	}
}

// call25 sends a call by a Transport, and then 24 at once.
func call25(t *testing.T, h http.Handler) time.Duration {
	client := &http.Client{Transport: &transport.Transport{Base: handled{h}}}
	begun := time.Now()
	get(t, client)
	var all sync.WaitGroup
	for range 24 {
		all.Go(func() { get(t, client) })
	}
	all.Wait()
	return time.Since(begun)
}

func get(t *testing.T, client *http.Client) {
	resp, err := client.Get("http://limited.test/")
	if err != nil {
		t.Error(err)
		return
	}
	resp.Body.Close()
}

package transport_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// fan makes n calls from w workers through the client and reports how many were
// answered with 200.
func fan(t *testing.T, client *http.Client, url string, n, w int) int {
	t.Helper()
	jobs := make(chan struct{}, n)
	for range n {
		jobs <- struct{}{}
	}
	close(jobs)
	var wg sync.WaitGroup
	var mu sync.Mutex
	ok := 0
	for range w {
		wg.Go(func() {
			for range jobs {
				resp, err := client.Get(url)
				if err != nil {
					t.Error(err)
					continue
				}
				_ = resp.Body.Close()
				mu.Lock()
				if resp.StatusCode == http.StatusOK {
					ok++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return ok
}

// Where rate and burst are published, in whatever dialect, a client that was
// told nothing is never refused, and loses next to nothing.
func TestKeepsToWhatIsPublished(t *testing.T) {
	for _, dialect := range []throttletest.Dialect{
		throttletest.IETF, throttletest.Draft07, throttletest.Draft06,
		throttletest.SpringCloudGateway, throttletest.AtlassianDataCenter,
	} {
		t.Run(dialect.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 20, Burst: 10, Dialect: dialect})
				start := time.Now()
				client := &http.Client{Transport: &transport.Transport{Base: srv.Client().Transport, MaxWait: -1}}
				if ok := fan(t, client, srv.URL, 120, 8); ok != 120 || srv.Refused() != 0 {
					t.Errorf("%d of 120 taken, %d refused", ok, srv.Refused())
				}
				if took, bound := time.Since(start), srv.Bound(120); took > bound*11/10 {
					t.Errorf("took %v, the bound is %v", took, bound)
				}
			})
		})
	}
}

// Where only what remains until a reset is published, nothing beyond it is sent.
func TestSpreadsWhatRemains(t *testing.T) {
	for _, dialect := range []throttletest.Dialect{throttletest.Trio, throttletest.TrioDelta, throttletest.GitHub} {
		t.Run(dialect.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(26 * 365 * 24 * time.Hour) // an epoch of before 2001 is not taken for one
				srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1, Burst: 60, Dialect: dialect})
				client := &http.Client{Transport: &transport.Transport{Base: srv.Client().Transport, MaxWait: -1}}
				if ok := fan(t, client, srv.URL, 200, 4); ok != 200 || srv.Refused() != 0 {
					t.Errorf("%d of 200 taken, %d refused", ok, srv.Refused())
				}
			})
		})
	}
}

// A limit by hand is known before the first answer.
func TestLimitsByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"api.example.com/": {{Rate: 2, Burst: 2}}}}
		for range 5 {
			do(t, tr, get(t, api))
		}
		base.wantAt(t, seconds(0, 0, 0.5, 1, 1.5)...)
	})
}

// The stricter of what is set by hand and what is published holds.
func TestLimitsByHandAreACeiling(t *testing.T) {
	for _, tt := range []struct {
		hand, published float64
		want            time.Duration
	}{{5, 10, 200 * time.Millisecond}, {10, 5, 200 * time.Millisecond}} {
		synctest.Test(t, func(t *testing.T) {
			srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: tt.published})
			client := &http.Client{Transport: &transport.Transport{
				Base:   srv.Client().Transport,
				Limits: transport.Limits{"/": {{Rate: rate.Limit(tt.hand)}}},
			}}
			fan(t, client, srv.URL, 11, 1)
			seen := srv.Arrivals()
			if got := seen[10].At.Sub(seen[0].At); got < 10*tt.want || srv.Refused() != 0 {
				t.Errorf("by hand %v, published %v: 11 calls in %v, %d refused", tt.hand, tt.published, got, srv.Refused())
			}
		})
	}
}

// The most specific pattern holds, and its limit does not hold up the others.
func TestPatterns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, MaxWait: -1, Limits: transport.Limits{
			"API.example.com/":            {{Rate: 10}},
			"POST api.example.com/login":  {{Rate: rate.Every(time.Minute)}},
			"api.example.com/slow/{id}/x": {{Rate: 1}},
			"other.example.com/":          {{Rate: 0.1}},
		}}
		at := func(req *http.Request) time.Duration {
			start := time.Now()
			do(t, tr, req)
			return time.Since(start)
		}
		login := post(t, "https://api.example.com:443/login", "x")
		if a, b := at(login), at(post(t, "https://API.example.com/login", "x")); a != 0 || b != time.Minute {
			t.Errorf("logins waited %v and %v", a, b)
		}
		if a, b := at(get(t, "http://api.example.com/login")), at(get(t, "http://api.example.com/login")); a != 0 || b != 100*time.Millisecond {
			t.Errorf("reads waited %v and %v", a, b)
		}
		at(get(t, "http://api.example.com/slow/1/x"))
		if a := at(get(t, "http://api.example.com/slow/2/x")); a != time.Second {
			t.Errorf("slow waited %v", a)
		}
		if a, b := at(get(t, "http://nobody.example.com/")), at(get(t, "http://nobody.example.com/")); a != 0 || b != 0 {
			t.Errorf("a host without a limit waited %v and %v", a, b)
		}
	})
}

// Limits that change while calls wait plan them anew.
func TestSetLimitsWhileCallsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"api.example.com/": {{Rate: 1}}}}
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() { do(t, tr, get(t, api)) })
			synctest.Wait()
		}
		time.Sleep(2500 * time.Millisecond)
		if err := tr.SetLimits(transport.Limits{"api.example.com/": {{Rate: 10}}}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		base.wantAt(t, seconds(0, 1, 2, 2.55, 2.65, 2.75)...)
	})
}

// Calls of a higher cost use up more; one beyond the burst never goes.
func TestCostAndWithoutLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 1, Burst: 4}}}}
		send := func(ctx context.Context) error {
			resp, err := tr.RoundTrip(get(t, api).WithContext(ctx))
			if err == nil {
				_ = resp.Body.Close()
			}
			return err
		}
		ctx := t.Context()
		for _, c := range []context.Context{throttle.WithCost(ctx, 4), throttle.WithCost(ctx, 3), throttle.WithoutLimit(ctx)} {
			if err := send(c); err != nil {
				t.Error(err)
			}
		}
		base.wantAt(t, seconds(0, 3, 3)...)
		if _, ok := errors.AsType[*throttle.NeverError](send(throttle.WithCost(ctx, 5))); !ok {
			t.Error("a cost above the burst is no NeverError")
		}
		for _, n := range []int{0, -1} {
			if fe, ok := errors.AsType[*throttle.FieldError](send(throttle.WithCost(ctx, n))); !ok || fe.Field != "Cost" {
				t.Errorf("a cost of %d is no FieldError", n)
			}
		}
	})
}

// A refusal holds back all calls of the budget, and only of that; they come
// back one interval apart.
func TestCoolDownIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "5"), answer(200, ""))
		tr := &transport.Transport{Base: base, Backoff: still, Limits: transport.Limits{"api.example.com/": {{Rate: 10, Burst: 10}}}}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { do(t, tr, get(t, api)) })
			synctest.Wait()
			time.Sleep(100 * time.Millisecond)
		}
		do(t, tr, get(t, "http://other.example.com/"))
		wg.Wait()
		base.wantAt(t, seconds(0, 0.4, 5, 5.1, 5.2, 5.3)...)
	})
}

// While the server refuses, later calls that would not wait so long are told
// at once, and nothing is sent.
func TestCoolDownBeyondMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "300"))
		tr := &transport.Transport{Base: base, MaxWait: 10 * time.Second, Backoff: still}
		if status, _ := do(t, tr, get(t, api)); status != 429 {
			t.Errorf("status %d", status)
		}
		time.Sleep(time.Second)
		_, err := tr.RoundTrip(get(t, api))
		if we, ok := errors.AsType[*throttle.WaitError](err); !ok || we.Wait != 299*time.Second || we.Cause != throttle.CauseCoolDown {
			t.Errorf("RoundTrip = %v, want 299s of cool-down", err)
		}
		if base.hits() != 1 {
			t.Errorf("%d sent", base.hits())
		}
	})
}

// The waits of all attempts of one call together are bounded by MaxWait.
func TestMaxWaitIsForAllAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "25"))
		tr := &transport.Transport{Base: base, Backoff: still, MaxAttempts: 10}
		if status, _ := do(t, tr, get(t, api)); status != 429 {
			t.Errorf("status %d", status)
		}
		base.wantAt(t, seconds(0, 25, 50)...)
	})
}

// A server that goes on refusing is left alone for longer and longer.
func TestEndlessRefusals(t *testing.T) {
	for _, fields := range [][]string{nil, {"Retry-After", "0"}, {"Retry-After", "Fri, 31 Dec 1999 23:00:00 GMT"}} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(answer(429, "", fields...))
			tr := &transport.Transport{Base: base, MaxAttempts: 100}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			do(t, tr, get(t, api).WithContext(ctx))
			if n := base.hits(); n < 3 || n > 5 {
				t.Errorf("%v: %d sent within 2s, want 3 to 5", fields, n)
			}
		})
	}
}

// A redirect is a call as well.
func TestRedirectHopsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(nil)
		base.answers[0] = func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/a" {
				return answer(302, "", "Location", "/b")(req)
			}
			return answer(200, "")(req)
		}
		client := &http.Client{Transport: &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 10}}}}}
		fan(t, client, "http://api.example.com/a", 20, 1)
		if n, last := len(base.at), base.at[len(base.at)-1]; n != 40 || last != 3900*time.Millisecond {
			t.Errorf("%d sent, the last at %v; want 40 by 3.9s", n, last)
		}
	})
}

// Budgets are by credential where the server's are.
func TestKeyByHostAndHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		var keys []string
		tr := &transport.Transport{
			Base: base, Limits: transport.Limits{"/": {{Rate: 1}}},
			Key:     transport.KeyByHostAndHeader("authorization"),
			Observe: func(_ context.Context, e transport.Event) { keys = append(keys, e.Key) },
		}
		for range 3 {
			for _, token := range []string{"secret-a", "secret-b"} {
				req := get(t, "HTTP://API.example.com:80/")
				req.Header.Set("Authorization", token)
				do(t, tr, req)
			}
		}
		base.wantAt(t, seconds(0, 0, 1, 1, 2, 2)...)
		for _, k := range keys {
			if len(k) != len("api.example.com#")+16 {
				t.Errorf("key %q", k)
			}
		}
	})
}

package transport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// octokit/octokit.rb#440, apache/devlake#4431, jupyterhub/binderhub#984,
// githubexporter/github-exporter#17: a field that is missing is read as zero.
func TestAnswersWithoutFieldsChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		base := newScript(func(req *http.Request) (*http.Response, error) {
			n++
			if n%2 == 1 {
				return answer(200, "", bucket(5, 1, 5)...)(req)
			}
			return answer([]int{204, 302, 304, 500}[n/2%4], "")(req)
		})
		tr := &transport.Transport{Base: base}
		for range 50 {
			do(t, tr, post(t, api, "x"))
		}
		base.wantAt(t, append(seconds(0, 0, 0, 0, 0), steps(45, 200*time.Millisecond, 200*time.Millisecond)...)...)
	})
}

// discordjs/discord.js#2581: what is no number turns the limit off.
func TestValuesThatAreNoNumbersChangeNothing(t *testing.T) {
	for _, name := range []string{"X-RateLimit-Replenish-Rate", "RateLimit-Policy", "X-RateLimit-Limit", "RateLimit-Limit", "X-RateLimit-Remaining"} {
		synctest.Test(t, func(t *testing.T) {
			values := []string{"NaN", "", "-5", "1e400", "10, 10;w=1", "abc"}
			good := bucket(5, 1, 1)
			answers := []func(*http.Request) (*http.Response, error){answer(200, "", good...)}
			for _, v := range values {
				answers = append(answers, answer(200, "", name, v))
			}
			base := newScript(answers...)
			tr := &transport.Transport{Base: base}
			for range 8 {
				do(t, tr, get(t, api))
			}
			wantPace(t, base.at, 0, 200*time.Millisecond)
		})
	}
}

// switchupcb/disgo#14, knowm/XChange#3211: an older answer that comes later
// puts back what was spent since.
func TestLateAnswerPutsNothingBack(t *testing.T) {
	for name, fields := range map[string]func(left int) []string{
		"bucket": func(left int) []string {
			return append(bucket(1, 60, 10), "RateLimit", fmt.Sprintf(`"p";r=%d;t=60`, left))
		},
		"window": func(left int) []string {
			return []string{"X-RateLimit-Limit", "10", "X-RateLimit-Remaining", fmt.Sprint(left), "X-RateLimit-Reset", "60"}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var calls tally
			base := newScript(func(req *http.Request) (*http.Response, error) {
				n := calls.add("sent")
				if n == 1 {
					time.Sleep(300 * time.Millisecond)
				}
				return answer(200, "", fields(10-n)...)(req)
			})
			tr := &transport.Transport{Base: base, MaxWait: 50 * time.Second}
			var wg sync.WaitGroup
			crowd(&wg, 4, func(int) { do(t, tr, get(t, api)) })
			wg.Wait()
			crowd(&wg, 20, func(int) {
				if _, err := attempt(tr, get(t, api)); err != nil {
					calls.add("refused here")
				}
			})
			wg.Wait()
			refused := calls.of("refused here")
			if len(base.at) > 10 || len(base.at)+refused != 24 {
				t.Errorf("%s: %d sent and %d refused within a minute, want no more than 10 sent", name, len(base.at), refused)
			}
		})
	}
}

// google/go-github#2273, cli/cli#12812, ietf-wg-httpapi/ratelimit-headers#98:
// limits that come out of a cache take the place of those that hold.
func TestAnswersFromACacheAreNotBelieved(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		fields []string
	}{
		{"marked", 200, []string{"X-From-Cache", "1"}},
		{"aged", 200, []string{"Age", "3600"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			base := newScript(func(req *http.Request) (*http.Response, error) {
				if n++; n%2 == 1 {
					return answer(200, "", bucket(10, 1, 2)...)(req)
				}
				return answer(tt.status, "", append(bucket(1, 1, 1), tt.fields...)...)(req)
			})
			tr := &transport.Transport{Base: base}
			for range 20 {
				do(t, tr, get(t, api))
			}
			if last := base.at[19]; last > 2*time.Second {
				t.Errorf("%s: the last of 20 at %v, want it at 1.8s", tt.name, last)
			}
		})
	}
}

// ietf-wg-httpapi/ratelimit-headers#24, #82, #121, #131, #137: of several
// policies one is lost.
func TestAllPoliciesHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, "", "RateLimit-Policy", `"sec";q=10;w=1, "day";q=1000;w=86400`))
		tr := &transport.Transport{Base: base}
		var first *throttle.WaitError
		for i := range 1200 {
			if _, err := attempt(tr, get(t, api)); err != nil && first == nil {
				var ok bool
				if first, ok = errors.AsType[*throttle.WaitError](err); !ok {
					t.Fatalf("call %d: %v", i, err)
				}
			}
		}
		wantWindows(t, base.at, 10, time.Second)
		// A quota that says nothing of a burst is spread, but for a tenth of it.
		if n := len(base.at); n < 100 || n > 110 {
			t.Errorf("%d calls sent, want about a tenth of the quota of the day", n)
		}
		if first == nil || first.Wait <= time.Minute || first.Wait > 2*time.Minute || first.Cause != throttle.CauseLimit {
			t.Errorf("error %v, want a wait for the policy of the day", first)
		}
		if s := tr.Budgets()[0]; len(s.Limits) != 2 {
			t.Errorf("limits %+v, want two", s.Limits)
		}
	})
}

// getsentry/sentry-dotnet#3947, #5482, grafana/loki#7972: a refusal of one kind
// of call stops all.
func TestRefusalStopsOnlyItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		sent := map[string]time.Duration{}
		start := time.Now()
		base := newScript(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			sent[req.URL.Path] = time.Since(start)
			if req.URL.Path == "/metrics" && time.Since(start) < time.Minute {
				return answer(429, "", "Retry-After", "60")(req)
			}
			return answer(200, "")(req)
		})
		tr := &transport.Transport{Base: base, Backoff: still, Key: func(req *http.Request) string { return req.URL.Path }}
		var wg sync.WaitGroup
		crowd(&wg, 1, func(int) { do(t, tr, get(t, "http://api.example.com/metrics")) })
		time.Sleep(time.Second)
		do(t, tr, get(t, "http://api.example.com/logs"))
		wg.Wait()
		if sent["/logs"] != time.Second || sent["/metrics"] != time.Minute {
			t.Errorf("sent at %v", sent)
		}
	})
}

// gofri/go-github-ratelimit#13, octo-sts/app#1684, PyGithub/PyGithub#2387,
// googleapis/python-api-core#679: 403 is "slow down" here and "forbidden" there.
func TestForbiddenWithASignIsARefusal(t *testing.T) {
	forbidden := func(resp *http.Response) bool { return resp.StatusCode == 403 }
	never := func(*http.Response) bool { return false }
	for _, tt := range []struct {
		name      string
		status    int
		fields    []string
		throttled func(*http.Response) bool
		hits      int
	}{
		{"Retry-After", 403, []string{"Retry-After", "2"}, nil, 2},
		{"nothing left", 403, []string{"X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "2"}, nil, 2},
		{"plain", 403, nil, nil, 1},
		{"something left", 403, []string{"X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "7", "X-RateLimit-Reset", "2"}, nil, 1},
		{"plain, by a rule of the caller's", 403, nil, forbidden, 2},
		{"429, by a rule of the caller's", 429, nil, never, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(answer(tt.status, "", tt.fields...), answer(200, ""))
			if tt.hits == 1 {
				base.answers = base.answers[:1]
			}
			status, _ := do(t, &transport.Transport{Base: base, Throttled: tt.throttled}, post(t, api, "x"))
			if base.hits() != tt.hits || (status == 200) != (tt.hits == 2) {
				t.Errorf("%s: status %d after %d attempts, want %d", tt.name, status, base.hits(), tt.hits)
			}
		})
	}
}

// xanzy/go-gitlab#1659, JuliaWeb/GitForge.jl#28: a call of its own to learn the
// limit, and a warning where there is none.
func TestServerWithoutFieldsIsLeftInPeace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		events := 0
		tr := &transport.Transport{Base: base, Observe: func(_ context.Context, e transport.Event) {
			if e.Kind != transport.EventSent || e.Wait != 0 || e.Left != 1 {
				events++
			}
		}}
		for range 3 {
			do(t, tr, get(t, api))
		}
		base.wantAt(t, 0, 0, 0)
		if events != 0 {
			t.Errorf("%d events", events)
		}
	})
}

// SpaceTradersAPI/issues-and-suggestions#52, SpaceTradersAPI/api-docs#49,
// amzn/selling-partner-api-models#879: no burst is published, and some refusals
// come from a proxy.
func TestRefusalsOfAProxyDoNotWipeOutTheSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		base := newScript(func(req *http.Request) (*http.Response, error) {
			if n++; n%50 == 0 {
				return answer(429, strings.Repeat("<p>", 100), "Content-Type", "text/html")(req)
			}
			return answer(200, "", "X-RateLimit-Replenish-Rate", "2")(req)
		})
		tr := &transport.Transport{Base: base}
		start := time.Now()
		for range 200 {
			if status, _ := do(t, tr, get(t, api)); status != 200 {
				t.Errorf("status %d", status)
			}
		}
		if took := time.Since(start); took < 100*time.Second || took > 110*time.Second || n != 204 {
			t.Errorf("%d attempts in %v, want 204 in 100s to 110s", n, took)
		}
		for i := 1; i < len(base.at); i++ {
			if gap := base.at[i] - base.at[i-1]; gap < 500*time.Millisecond && i%50 != 0 {
				t.Fatalf("call %d came %v after the one before", i, gap)
			}
		}
	})
}

// google/go-github#2273, cli/cli#12812: an answer of 304 is that of a cache.
func TestNotModifiedIsNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		base := newScript(func(req *http.Request) (*http.Response, error) {
			if n++; n%2 == 1 {
				return answer(200, "", bucket(10, 1, 2)...)(req)
			}
			return answer(304, "", bucket(1, 1, 1)...)(req)
		})
		tr := &transport.Transport{Base: base}
		for range 20 {
			do(t, tr, get(t, api))
		}
		if last := base.at[19]; last > 2*time.Second {
			t.Errorf("the last of 20 at %v, want it at 1.8s", last)
		}
	})
}

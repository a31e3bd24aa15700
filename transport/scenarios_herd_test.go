package transport_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// hivecommons/hive#4640: all who were parked went out at the same moment.
func TestCallsComeBackOneIntervalApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := bucket(10, 1, 10)
		base := newScript(answer(429, "", append(policy, "Retry-After", "60")...), answer(200, "", policy...))
		tr := &transport.Transport{Base: base, Backoff: still, MaxWait: -1}
		var wg sync.WaitGroup
		crowd(&wg, 50, func(int) { do(t, tr, get(t, api)) })
		wg.Wait()
		base.wantAt(t, append(seconds(0), steps(50, time.Minute, 100*time.Millisecond)...)...)
	})
}

// octokit/plugin-throttling.js#629: only the call that was refused slept.
func TestRefusalOfOneHoldsBackItsNeighbours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "5"), answer(200, ""))
		tr := &transport.Transport{
			Base: slowBase{base, 100 * time.Millisecond}, Backoff: still, MaxConcurrent: 4,
			Limits: transport.Limits{"api.example.com/": {{Rate: 4, Burst: 4}}},
		}
		var wg sync.WaitGroup
		crowd(&wg, 20, func(int) { do(t, tr, get(t, api)) })
		wg.Wait()
		wantConforming(t, base.at, 4, 4)
		if len(base.at) != 21 || base.at[3] != 0 || base.at[4] < 5100*time.Millisecond {
			t.Errorf("sent at %v, want 4 before the refusal at 100ms, and the others from 5.1s on", base.at)
		}
	})
}

// serenity-rs/serenity#2781, peterkhayes/rolling-rate-limiter#15: all slept to
// the same instant.
func TestNoTwoWaitersShareASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, MaxWait: -1, Limits: transport.Limits{"api.example.com/": {{Rate: 5, Burst: 5}}}}
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() { do(t, tr, get(t, api)) })
		}
		wg.Wait()
		base.wantAt(t, append(seconds(0, 0, 0, 0, 0), steps(195, 200*time.Millisecond, 200*time.Millisecond)...)...)
	})
}

// mvanhorn/printing-press-library#491, #449: several read the same stamp.
func TestCallsTogetherTakeSlotsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"api.example.com/": {{Rate: 5}}}}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { do(t, tr, get(t, api)) })
		}
		wg.Wait()
		base.wantAt(t, steps(8, 0, 200*time.Millisecond)...)
	})
}

// panoramicdata/Meraki.Api#374, PagerDuty/pdpyras#20, gojek/heimdall#21:
// processes that are told the same delay come back in step.
func TestProcessesDoNotComeBackInStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		retries := make([]time.Duration, 50)
		for i := range retries {
			wg.Go(func() {
				base := newScript(answer(429, "", "Retry-After", "10"), answer(200, ""))
				do(t, &transport.Transport{Base: base}, get(t, api))
				retries[i] = base.at[1]
			})
		}
		wg.Wait()
		first, last := slices.Min(retries), slices.Max(retries)
		if first < 10*time.Second || last > 11*time.Second || last-first < 250*time.Millisecond {
			t.Errorf("retries from %v to %v, want them spread over 10s to 11s", first, last)
		}
	})
}

// superagent-ai/polyresearch#111: jitter in both directions makes half of the
// retries early.
func TestJitterOnlyLengthens(t *testing.T) {
	for range 1000 {
		if d := (backoff.Policy{}).Delay(0, 10*time.Second); d < 10*time.Second || d > 11*time.Second {
			t.Fatalf("delay %v for a hint of 10s, want up to a tenth more", d)
		}
	}
}

// junhoyeo/tokscale#1188, peetzweg/commit-history#59: a delay that was cut
// short made the ban longer.
func TestBanIsNotProlonged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "60"))
		tr := &transport.Transport{Base: base, MaxWait: 4 * time.Second, Backoff: still}
		if status, _ := do(t, tr, get(t, api)); status != 429 {
			t.Errorf("status %d, want that of the server", status)
		}
		for i := range 9 {
			time.Sleep(time.Second)
			_, err := attempt(tr, get(t, api))
			wantLocal(t, err, throttle.CauseCoolDown, time.Duration(59-i)*time.Second)
		}
		base.wantAt(t, 0)
	})
}

// gofri/go-github-ratelimit#7: was the limit remembered by whoever did not
// sleep for it?
func TestCoolDownIsKeptWithoutSleeping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "300"), answer(200, ""))
		tr := &transport.Transport{Base: base, MaxWait: 10 * time.Second, Backoff: still}
		do(t, tr, get(t, api))
		time.Sleep(time.Second)
		_, err := attempt(tr, get(t, api))
		wantLocal(t, err, throttle.CauseCoolDown, 299*time.Second)
		do(t, tr, get(t, "http://other.example.com/"))
		base.wantAt(t, seconds(0, 1)...)
	})
}

// octokit/plugin-throttling.js#442, JustinBeckwith/retry-axios#61: calls use up
// one another's retries.
func TestRetriesAreCountedForEachCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		tries := map[string]int{}
		refusals := map[string]int{"/sixth": 2}
		base := newScript(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			tries[req.URL.Path]++
			if tries[req.URL.Path] <= max(1, refusals[req.URL.Path]) {
				return answer(429, "", "Retry-After", "1")(req)
			}
			return answer(200, "")(req)
		})
		tr := &transport.Transport{Base: base, MaxAttempts: 3}
		call := func(path string) {
			if status, _ := do(t, tr, get(t, "http://api.example.com"+path)); status != 200 {
				t.Errorf("%s: status %d", path, status)
			}
		}
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() { call(fmt.Sprint("/", i)) })
		}
		wg.Wait()
		call("/sixth")
		for path, n := range tries {
			if want := 1 + max(1, refusals[path]); n != want {
				t.Errorf("%s: %d attempts, want %d", path, n, want)
			}
		}
	})
}

// A slidingLog lets n calls through in any window.
type slidingLog struct {
	n       int
	window  time.Duration
	publish bool

	mu      sync.Mutex
	taken   []time.Time
	refused []time.Duration
	start   time.Time
}

func (s *slidingLog) answer(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.taken) > 0 && now.Sub(s.taken[0]) >= s.window {
		s.taken = s.taken[1:]
	}
	status, left, next := 200, s.n-len(s.taken)-1, 0
	if left < 0 {
		status, left = 429, 0
		s.refused = append(s.refused, now.Sub(s.start))
	} else {
		s.taken = append(s.taken, now)
	}
	if len(s.taken) > 0 {
		next = int((s.window - now.Sub(s.taken[0]) + time.Second - 1) / time.Second)
	}
	var fields []string
	if s.publish {
		fields = []string{"RateLimit-Policy", fmt.Sprintf(`"p";q=%d;w=%d`, s.n, int(s.window/time.Second)),
			"RateLimit", fmt.Sprintf(`"p";r=%d;t=%d`, left, next)}
	}
	if status == 429 {
		fields = append(fields, "Retry-After", fmt.Sprint(next))
	}
	return answer(status, "", fields...)(req)
}

// ajslater/comicbox#207: Retry-After is when one call is possible, not when the
// window is empty.
func TestRetryAfterIsForOneCall(t *testing.T) {
	even := steps(20, -59*time.Second, 3*time.Second)
	late := append([]time.Duration{-59 * time.Second}, steps(19, -10*time.Second, 0)...)
	for _, tt := range []struct {
		name  string
		taken []time.Duration
	}{
		{"evenly used", even},
		{"used of late", late},
	} {
		synctest.Test(t, func(t *testing.T) {
			if refused := refusedOfFullWindow(t, tt.taken, true); len(refused) > 3 {
				t.Errorf("%s: refused at %v, want no more than 2 in the next minute", tt.name, refused)
			}
		})
	}
}

// refusedOfFullWindow sends 20 calls to a server that lets 20 a minute through,
// and has let some through before. It returns when it refused in the first minute.
func refusedOfFullWindow(t *testing.T, taken []time.Duration, publish bool) []time.Duration {
	srv := &slidingLog{n: 20, window: time.Minute, publish: publish, start: time.Now()}
	for _, d := range taken {
		srv.taken = append(srv.taken, srv.start.Add(d))
	}
	base := newScript(srv.answer)
	tr := &transport.Transport{Base: base, MaxWait: -1, MaxAttempts: 100}
	var wg sync.WaitGroup
	crowd(&wg, 20, func(int) { do(t, tr, get(t, api)) })
	wg.Wait()
	if base.at[1] < time.Second {
		t.Errorf("called again at %v, before Retry-After", base.at[1])
	}
	return slices.DeleteFunc(srv.refused, func(at time.Duration) bool { return at > time.Minute })
}

// ajslater/comicbox#207, of a server that publishes nothing.
func TestRetryAfterIsForOneCallUnpublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := append([]time.Duration{-59 * time.Second}, steps(19, -10*time.Second, 0)...)
		if refused := refusedOfFullWindow(t, late, false); len(refused) > 3 {
			t.Errorf("refused at %v, want no more than 2 in the next minute", refused)
		}
	})
}

// The same report, and hivecommons/hive#4640: one call finds out whether a
// server takes calls again, and nobody goes with it.
func TestOneCallProbesAfterARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "1"), answer(429, "", "Retry-After", "5"), answer(200, ""))
		tr := &transport.Transport{Base: base, Backoff: still}
		var wg sync.WaitGroup
		crowd(&wg, 3, func(int) { do(t, tr, get(t, api)) })
		wg.Wait()
		base.wantAt(t, seconds(0, 1, 6, 6, 6)...)
	})
}

// The same reports: once the first refusal is heard nobody leaves, whatever the
// limit is that it publishes.
func TestNobodyLeavesWithARefusal(t *testing.T) {
	for _, fields := range [][]string{
		{"Retry-After", "10"},
		{"Retry-After", "10", "RateLimit-Policy", `"default";q=50;w=1;burst=50`, "RateLimit", `"default";r=0;t=1`},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			refuse, take := answer(429, "", fields...), answer(200, "")
			base := newScript(slowBase{roundTrip(func(req *http.Request) (*http.Response, error) {
				if time.Since(start) < 10*time.Second {
					return refuse(req)
				}
				return take(req)
			}), 50 * time.Millisecond}.RoundTrip)
			tr := &transport.Transport{Base: base, MaxWait: -1, MaxAttempts: 100}
			var wg sync.WaitGroup
			crowd(&wg, 20, func(int) { do(t, tr, get(t, api)) })
			wg.Wait()
			for _, at := range base.at {
				if at >= 50*time.Millisecond && at < 10*time.Second {
					t.Errorf("%v: a call left at %v", fields, at)
				}
			}
		})
	}
}

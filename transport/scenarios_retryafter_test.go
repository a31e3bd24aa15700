package transport_test

import (
	"errors"
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

// kubescape/kubevuln#754, #755, hashicorp/go-retryablehttp#170: no delay, or a
// date in the past, ended in a loop without a wait.
func TestNoDelayIsNoHotLoop(t *testing.T) {
	for _, value := range []string{"0", "Fri, 31 Dec 1999 23:00:00 GMT"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := contextWithTimeout(t, 2*time.Second)
			defer cancel()
			base := newScript(answer(429, "", "Retry-After", value))
			tr := &transport.Transport{Base: base, Backoff: still, MaxAttempts: 1000}
			if status, _ := do(t, tr, get(t, api).WithContext(ctx)); status != 429 {
				t.Errorf("status %d", status)
			}
			base.wantAt(t, seconds(0, 0.1, 0.3, 0.7, 1.5)...)
		})
	}
}

// How long the wait is that an answer of 429 asks for.
func TestDelayIsReadAsMeant(t *testing.T) {
	// A bubble begins at midnight of 2000-01-01.
	const ahead, behind = "Sat, 01 Jan 2000 01:00:00 GMT", "Fri, 31 Dec 1999 23:00:00 GMT"
	for _, tt := range []struct {
		name, date, value string
		want              float64
	}{
		// juju/juju#22007: the date is subtracted the wrong way round.
		{"date, clock of the server ahead", ahead, "Sat, 01 Jan 2000 01:00:42 GMT", 42},
		{"date, clock of the server behind", behind, "Fri, 31 Dec 1999 23:00:42 GMT", 42},
		// open-telemetry/opentelemetry-go#8383, asecurityteam/transport#33,
		// victornpb/undiscord#349: seconds are taken for something else.
		{"seconds", "", "3", 3},
		{"date three seconds on", behind, "Fri, 31 Dec 1999 23:00:03 GMT", 3},
		// teng-lin/notebooklm-py#1275, wojtekmach/req#464, getsentry/sentry#7919,
		// OpenFeign/feign#980, microsoft/dotnet#955: a fraction is an error.
		{"fraction", "", "0.314", 0.314},
		{"whole with a point", "", "2.0", 2},
		{"long fraction", "", "292.05", 292.05},
		// kubernetes/kubernetes#27965, #26871: without a delay there is no retry.
		{"not a number", "", "soon", 0.1},
		{"negative", "", "-5", 0.1},
		{"empty", "", "", 0.1},
	} {
		synctest.Test(t, func(t *testing.T) {
			fields := []string{"Retry-After", tt.value}
			if tt.date != "" {
				fields = append(fields, "Date", tt.date)
			}
			base := newScript(answer(429, "", fields...), answer(200, ""))
			status, _ := do(t, &transport.Transport{Base: base, Backoff: still, MaxWait: -1}, get(t, api))
			if want := seconds(0, tt.want); status != 200 || !slices.Equal(base.at, want) {
				t.Errorf("%s: status %d, sent at %v, want %v", tt.name, status, base.at, want)
			}
		})
	}
}

// kubernetes/kubernetes#27965, #26871: a refusal without a delay is not tried again.
func TestRefusalWithoutADelayIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, ""), answer(200, ""))
		if status, _ := do(t, &transport.Transport{Base: base, Backoff: still}, get(t, api)); status != 200 {
			t.Errorf("status %d", status)
		}
		base.wantAt(t, seconds(0, 0.1)...)
	})
}

// urllib3/urllib3#1338, netdata/netdata#5082, cenkalti/backoff#159: asleep for
// an hour because the server said so.
func TestHourIsNotSlept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "an hour", "Retry-After", "3600"))
		client := &http.Client{Transport: &transport.Transport{Base: base, Backoff: still}}
		resp, err := client.Do(get(t, api))
		if err != nil || resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "3600" {
			t.Fatalf("Do = %v, %v, want the 429", resp, err)
		}
		_ = resp.Body.Close()
		_, err = client.Do(get(t, api))
		we, ok := errors.AsType[*throttle.WaitError](err)
		if !ok || we.Wait != time.Hour || !we.At.Equal(time.Now().Add(time.Hour)) || we.Key != "api.example.com" {
			t.Errorf("Do = %v, want a wait of an hour", err)
		}
		base.wantAt(t, 0)
	})
}

// openai/openai-node#1840, #1924, openai/openai-python#3555: at the ceiling the
// delay was refused, and a shorter one used in its place.
func TestCeilingIsPartOfWhatIsAllowed(t *testing.T) {
	for _, policy := range []backoff.Policy{still, {}} {
		for value, want := range map[string][]time.Duration{"60": seconds(0, 60), "61": seconds(0)} {
			synctest.Test(t, func(t *testing.T) {
				base := newScript(answer(429, "", "Retry-After", value), answer(200, ""))
				do(t, &transport.Transport{Base: base, Backoff: policy, MaxWait: time.Minute}, get(t, api))
				base.wantAt(t, want...)
			})
		}
	}
}

// getsentry/develop#479, getsentry/sentry-native#660: of two the longer stays.
func TestLongerOfTwoCoolDownsStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answer(429, "", "Retry-After", "5")(req)
		}
		base := newScript(slow, answer(429, "", "Retry-After", "30"), answer(200, ""))
		tr := &transport.Transport{Base: base, Backoff: still}
		var wg sync.WaitGroup
		crowd(&wg, 2, func(int) { do(t, tr, get(t, api)) })
		time.Sleep(2 * time.Second)
		crowd(&wg, 1, func(int) { do(t, tr, get(t, api)) })
		wg.Wait()
		base.wantAt(t, seconds(0, 0, 30, 30, 30)...)
	})
}

// The same reports: a limit can come with a success.
func TestSuccessThatLeavesNothingHoldsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, "", "X-RateLimit-Limit", "100", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "10"), answer(200, ""))
		tr := &transport.Transport{Base: base}
		do(t, tr, get(t, api))
		do(t, tr, get(t, api))
		if next := base.at[1]; next < 10*time.Second || next > 11*time.Second {
			t.Errorf("next call at %v, want at the reset in 10s, or the second after", next)
		}
	})
}

// google/go-github#3438, gofri/go-github-ratelimit#9: a second kind of refusal
// was timed by the reset of the first limit, up to an hour away.
func TestRefusalOfAnotherKindIsNotTimedByTheReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusal := answer(403, "secondary", "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "4000", "X-RateLimit-Reset", "3500")
		base := newScript(refusal, refusal, answer(200, ""))
		tr := &transport.Transport{
			Base: base, MaxWait: 10 * time.Minute,
			Backoff:   backoff.Policy{Min: time.Minute, Max: time.Hour, Jitter: backoff.NoJitter},
			Throttled: func(resp *http.Response) bool { return resp.StatusCode == 403 },
		}
		if status, _ := do(t, tr, get(t, api)); status != 200 {
			t.Errorf("status %d", status)
		}
		base.wantAt(t, seconds(0, 60, 180)...)
	})
}

// router-for-me/CLIProxyAPI#4724, lidge-jun/opencodex#433: a cool-down of days
// could be neither seen nor ended.
func TestCoolDownOfDaysIsSeenAndEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "561635"), answer(200, ""))
		tr := &transport.Transport{Base: base, Backoff: still}
		do(t, tr, get(t, api))
		time.Sleep(35 * time.Second)
		states := tr.Budgets()
		if len(states) != 1 || states[0].Key != "api.example.com" || states[0].CoolingLeft != 561600*time.Second {
			t.Errorf("budgets %+v", states)
		}
		_, err := attempt(tr, get(t, api))
		wantLocal(t, err, throttle.CauseCoolDown, 561600*time.Second)
		if !tr.Reset("api.example.com") || tr.Reset("other.example.com") {
			t.Error("Reset does not say whether there is such a budget")
		}
		do(t, tr, get(t, api))
		base.wantAt(t, seconds(0, 35)...)
	})
}

// hashicorp/go-retryablehttp#297, openclaw/clawscan#58, kubescape/kubevuln#637,
// router-for-me/CLIProxyAPI#5536: a huge number of seconds wraps around, and
// the retry is immediate.
func TestHugeDelayIsNotCutShort(t *testing.T) {
	for _, value := range []string{"9223372037", "9223372036854775807", "99999999999999999999999", "40000000"} {
		t.Run(value, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := newScript(answer(429, "", "Retry-After", value), answer(200, ""))
				if status, _ := do(t, &transport.Transport{Base: base, Backoff: still}, get(t, api)); status != 429 || len(base.at) != 1 {
					t.Errorf("status %d, sent at %v", status, base.at)
				}
			})
		})
	}
}

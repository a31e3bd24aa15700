package transport_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// golang/go#23575, bucket4j/bucket4j#419, temporalio/temporal#12004: a new rate
// leaves the waiters on the old plan, or makes them a present of a burst.
func TestNewRateReplansWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		base := newScript(func(req *http.Request) (*http.Response, error) {
			if time.Since(start) < 3*time.Second {
				return answer(200, "", bucket(1, 1, 1)...)(req)
			}
			return answer(200, "", bucket(10, 1, 5)...)(req)
		})
		tr := &transport.Transport{Base: base}
		do(t, tr, get(t, api))
		var wg sync.WaitGroup
		crowd(&wg, 20, func(int) { do(t, tr, get(t, api)) })
		wg.Wait()
		wantPace(t, base.at[:4], 0, time.Second)
		changed := base.at[3]
		if next := base.at[4] - changed; next > 100*time.Millisecond {
			t.Errorf("next call %v after the change", next)
		}
		wantPace(t, base.at[4:], base.at[4], 100*time.Millisecond)
		if within := base.at[5] - changed; within < 100*time.Millisecond {
			t.Errorf("two calls within %v of the change", within)
		}
	})
}

// The same reports, the other way: those who wait get the slower rate.
func TestSlowerRateReplansWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, MaxWait: -1, Limits: transport.Limits{"/": {{Rate: 10, Burst: 5}}}}
		var wg sync.WaitGroup
		crowd(&wg, 10, func(int) { do(t, tr, get(t, api)) })
		time.Sleep(250 * time.Millisecond)
		if err := tr.SetLimits(transport.Limits{"/": {{Rate: 1, Burst: 5}}}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		base.wantAt(t, seconds(0, 0, 0, 0, 0, 0.1, 0.2, 0.75, 1.75, 2.75)...)
	})
}

// UKGovernmentBEIS/inspect_ai#5138, mvanhorn/cli-printing-press#2374: one
// refusal pins the rate far below what is published.
func TestPaceRecoversAfterARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := throttletest.NewHandler(throttletest.Config{Rate: 10, Burst: 10})
		if err != nil {
			t.Fatal(err)
		}
		h.Script(throttletest.Answer{Header: http.Header{"Retry-After": {"5"}}})
		base := newScript(direct{h}.RoundTrip)
		saturate(t, base, nil, 25*time.Second)
		first, second := 0, 0
		for _, at := range base.at {
			switch {
			case at > 5*time.Second && at <= 15*time.Second:
				first++
			case at > 15*time.Second && at <= 25*time.Second:
				second++
			}
		}
		if first < 95 || first > 110 || second < 95 || second > 105 {
			t.Errorf("%d and %d calls in the two times 10s after the refusal, want 100 each", first, second)
		}
	})
}

// resilience4j/resilience4j#1177: ten refusals of one flight halve the rate ten
// times.
func TestRefusalsOfOneFlightAreOneEvent(t *testing.T) {
	for name, tt := range map[string]struct {
		fields []string
		until  time.Duration
	}{
		"with Retry-After":    {[]string{"Retry-After", "2"}, 2050 * time.Millisecond},
		"without Retry-After": {nil, 150 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			var mu sync.Mutex
			base := newScript(func(req *http.Request) (*http.Response, error) {
				mu.Lock()
				n++
				i := n
				mu.Unlock()
				if i > 10 {
					return answer(200, "")(req)
				}
				time.Sleep(time.Duration(i) * 5 * time.Millisecond)
				return answer(429, "", tt.fields...)(req)
			})
			tr := &transport.Transport{Base: base, Backoff: still, Limits: transport.Limits{"/": {{Rate: 10, Burst: 10}}}}
			var wg sync.WaitGroup
			crowd(&wg, 20, func(int) { do(t, tr, get(t, api)) })
			wg.Wait()
			if base.wantAt(t, append(make([]time.Duration, 10), steps(20, tt.until, 100*time.Millisecond)...)...); t.Failed() {
				t.Log(name)
			}
		})
	}
}

// UKGovernmentBEIS/inspect_ai#5138, and promise 1: a limit that is published
// late is kept from the first answer on.
func TestLimitThatIsPublishedLateIsKept(t *testing.T) {
	for name, first := range map[string]throttletest.Answer{
		"after a success":  {Status: 200},
		"after a refusal":  {Header: http.Header{"Retry-After": {"5"}}},
		"after not found":  {Status: 404},
		"after a redirect": {Status: 302, Header: http.Header{"Location": {"/x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, err := throttletest.NewHandler(throttletest.Config{Rate: 10, Burst: 10})
				if err != nil {
					t.Fatal(err)
				}
				h.Script(first)
				base := newScript(direct{h}.RoundTrip)
				tr := &transport.Transport{Base: base}
				do(t, tr, get(t, api))
				time.Sleep(5 * time.Second)
				var wg sync.WaitGroup
				crowd(&wg, 30, func(int) { do(t, tr, get(t, api)) })
				wg.Wait()
				if h.Refused() != 0 {
					t.Errorf("%d refused; sent at %v", h.Refused(), base.at)
				}
			})
		})
	}
}

// UKGovernmentBEIS/inspect_ai#5138, mvanhorn/cli-printing-press#2374, of a limit
// that is set by hand: one refusal pins the rate far below it.
func TestPaceOfALimitByHandRecoversAfterARefusal(t *testing.T) {
	for _, seconds := range []int{1, 5, 30} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(nil)
			base.answers[0] = slowBase{roundTrip(answer(200, "")), 100 * time.Millisecond}.RoundTrip
			busy := slowBase{roundTrip(answer(429, "", "Retry-After", strconv.Itoa(seconds))), 101 * time.Millisecond}
			base.answers = append(base.answers, base.answers[0], base.answers[0], busy.RoundTrip, base.answers[0])
			tr := &transport.Transport{Base: base, Backoff: still, MaxWait: -1, Limits: transport.Limits{"/": {{Rate: 4, Burst: 4}}}}
			var wg sync.WaitGroup
			crowd(&wg, 200, func(int) { do(t, tr, get(t, api)) })
			wg.Wait()
			// From there on 197 calls, four a second, take 49 s.
			if last := base.at[len(base.at)-1] - time.Duration(seconds)*time.Second; last > 65*time.Second {
				t.Errorf("the last of 200 calls went %v after the %d s of the refusal", last, seconds)
			}
		})
	}
}

package transport_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// A fixedWindow lets n calls through in each window. The first begins at a
// time that has nothing to do with the client's.
type fixedWindow struct {
	n       int
	window  time.Duration
	publish bool

	mu      sync.Mutex
	index   int64
	used    int
	refused int
}

func (s *fixedWindow) answer(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := time.Now().Add(s.window/3).UnixNano() / int64(s.window); i != s.index {
		s.index, s.used = i, 0
	}
	var fields []string
	if s.publish {
		fields = []string{"RateLimit-Policy", fmt.Sprintf(`"p";q=%d;w=%d`, s.n, int(s.window/time.Second))}
	}
	if s.used++; s.used > s.n {
		s.refused++
		return answer(429, "", fields...)(req)
	}
	return answer(200, "", fields...)(req)
}

// go-redis/redis_rate#24, authgear/authgear-server#3125: a quota of 17 in 30 s
// let 32 through.
func TestQuotaHoldsInAnyWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &fixedWindow{n: 17, window: 30 * time.Second, publish: true}
		base := newScript(srv.answer)
		saturate(t, base, nil, 10*time.Minute)
		wantWindows(t, base.at, 17, 30*time.Second)
		if srv.refused != 0 || len(base.at) < 17*20*8/10 {
			t.Errorf("%d sent, %d refused", len(base.at), srv.refused)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		srv := &slidingLog{n: 17, window: 30 * time.Second, publish: true, start: time.Now()}
		base := newScript(srv.answer)
		saturate(t, base, nil, 10*time.Minute)
		if len(srv.refused) != 0 || len(base.at) < 17*20*8/10 {
			t.Errorf("sliding: %d sent, refused at %v", len(base.at), srv.refused)
		}
	})
}

// saturate has four workers call as often as they may, for so long, the others
// after the first answer.
func saturate(t *testing.T, base http.RoundTripper, limits transport.Limits, length time.Duration) {
	t.Helper()
	tr := &transport.Transport{Base: base, MaxWait: -1, Limits: limits}
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var wg sync.WaitGroup
	crowd(&wg, 4, func(int) {
		for {
			if _, err := attempt(tr, get(t, api).WithContext(ctx)); err != nil {
				return // the next slot is past the end
			}
		}
	})
	wg.Wait()
}

// discord/discord-api-docs#5144, NAFTeam/NAFF#679, resilience4j/resilience4j#1138:
// what ends one window and what begins the next are too much together.
func TestQuotaHoldsAcrossTheEdgeOfAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &fixedWindow{n: 50, window: time.Second}
		base := newScript(srv.answer)
		tr := &transport.Transport{Base: base, MaxWait: -1, Limits: transport.Limits{"/": {throttle.Per(50, time.Second)}}}
		var wg sync.WaitGroup
		for range 500 {
			wg.Go(func() { do(t, tr, get(t, api)) })
		}
		wg.Wait()
		wantWindows(t, base.at, 50, time.Second)
		if last := base.at[len(base.at)-1]; srv.refused != 0 || last > 11500*time.Millisecond {
			t.Errorf("%d refused, the last sent at %v", srv.refused, last)
		}
	})
}

// antifuchs/ratelimit_meter#36, mjpieters/aiolimiter#217: the wait leaves the
// burst out.
func TestWaitReckonsWithTheBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 1, Burst: 5}}}}
		for range 10 {
			do(t, tr, get(t, api))
		}
		base.wantAt(t, seconds(0, 0, 0, 0, 0, 1, 2, 3, 4, 5)...)
	})
}

// Losant/redis-gcra#3, scylladb/seastar#1722, firecracker-microvm/firecracker#2601:
// an interval that is rounded down makes the rate too high.
func TestIntervalIsRoundedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 3}}}}
		for range 3001 {
			do(t, tr, get(t, api))
		}
		base.wantAt(t, steps(3001, 0, 333_333_334)...)
	})
}

// golang/go#46579: a call that is due is refused for what a float has lost.
func TestSlowRateIsFreeWhenItIsDue(t *testing.T) {
	lim := throttle.NewLimiter(rate.Every(time.Hour), 1)
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	lim.AllowN(start, 1)
	for _, s := range []float64{0.1, 7, 700.7, 1234.567891, 2999.999, 3599.9, 3599.999999999} {
		if lim.AllowN(start.Add(time.Duration(s*1e9)), 1) {
			t.Errorf("allowed after %vs", s)
		}
	}
	if !lim.AllowN(start.Add(time.Hour), 1) {
		t.Error("refused after an hour")
	}
}

// bucket4j/bucket4j#51: a long rest overflows.
func TestLongRestGivesABurstAndNoMore(t *testing.T) {
	lim := throttle.NewLimiter(1e6, 100)
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, next := range []time.Time{at, at.Add(12 * time.Hour), at.AddDate(50, 0, 0)} {
		n := 0
		for range 200 {
			if lim.AllowN(next, 1) {
				n++
			}
		}
		if n != 100 {
			t.Errorf("%v: %d went at once, want 100", next, n)
		}
	}
}

// golang/go#39984, #47221, #68541, sourcegraph/sourcegraph#19720: zero is
// "unlimited" here and "for ever" there.
func TestZeroIsNeitherUnlimitedNorForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lim := throttle.NewLimiter(0, 1)
		if err := lim.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if _, ok := errors.AsType[*throttle.NeverError](lim.Wait(t.Context())); !ok {
			t.Error("what never goes waits")
		}
		lim.SetLimit(5)
		start := time.Now()
		if err := lim.Wait(t.Context()); err != nil || time.Since(start) != 200*time.Millisecond {
			t.Errorf("at 5/s: %v after %v", err, time.Since(start))
		}
	})
}

// The same reports, with a server that has nothing left for a while.
func TestNothingLeftIsAskedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, "", "RateLimit", `"p";r=0;t=5`), answer(200, "", bucket(5, 1, 1)...))
		tr := &transport.Transport{Base: base}
		var wg sync.WaitGroup
		crowd(&wg, 4, func(int) { do(t, tr, get(t, api)) })
		wg.Wait()
		probe := base.at[1]
		if probe < 5*time.Second || probe > 6*time.Second {
			t.Errorf("asked at %v, want at the reset or the second after", probe)
		}
		wantPace(t, base.at[1:], probe, 200*time.Millisecond)
	})
}

// golang/go#80698, temporalio/temporal#10327: what costs more than the burst
// waits, or fails with a vague text.
func TestCostAboveTheBurstIsRefusedByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 1, Burst: 5}}}}
		req := get(t, api)
		_, err := attempt(tr, req.WithContext(throttle.WithCost(req.Context(), 10)))
		ne, ok := errors.AsType[*throttle.NeverError](err)
		if !ok || ne.Cost != 10 || ne.Limit.Burst != 5 || !strings.Contains(err.Error(), "10") || !strings.Contains(err.Error(), "5") {
			t.Errorf("RoundTrip = %v", err)
		}
		do(t, tr, req)
		base.wantAt(t, 0)
	})
}

// ravangen/graphql-rate-limit#129, Narasimha1997/ratelimiter#8,
// clipperhouse/rate#11, #25: the first limit is charged although the second refuses.
func TestLimitsAreChargedTogetherOrNotAtAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := throttle.NewBudget(throttle.Limit{Rate: 5, Burst: 5})
		if err != nil {
			t.Fatal(err)
		}
		both, err := b.Lane("both", throttle.Limit{Rate: 20.0 / 60, Burst: 20})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := contextWithTimeout(t, 5*time.Second)
		defer cancel()
		start := time.Now()
		var wg sync.WaitGroup
		var calls tally
		crowd(&wg, 30, func(int) {
			if err := both.Wait(ctx); err == nil {
				calls.add("went")
			} else if time.Since(start) == 0 {
				calls.add("refused at once")
			}
		})
		wg.Wait()
		if calls.of("went") != 21 || calls.of("refused at once") != 9 || time.Since(start) != 3200*time.Millisecond {
			t.Errorf("%v after %v", calls.n, time.Since(start))
		}
		time.Sleep(3400*time.Millisecond - time.Since(start))
		if !b.Allow() {
			t.Error("those that were refused have cost the other limit something")
		}
	})
}

// moby/swarmkit#1407, sethvargo/go-retry#39, go-resty/resty#624,
// flowchartsman/retry#4, projectdiscovery/retryablehttp-go#563: a random
// number of nothing panics, and doubling overflows.
func TestBackoffIsTotal(t *testing.T) {
	for _, p := range []backoff.Policy{
		{}, {Min: time.Second, Max: time.Second}, {Max: 1}, {Min: 1, Max: 1}, {Min: time.Minute, Max: time.Second},
		{Min: -1, Max: -1}, {Min: 1, Max: math.MaxInt64}, {Multiplier: 1e300}, {Multiplier: -1, Jitter: 7},
	} {
		most := max(p.Max, p.Min)
		if p.Max <= 0 {
			most = max(backoff.DefaultMax, p.Min)
		}
		for n := range 201 {
			if d := p.Delay(n, 0); d <= 0 || d > most {
				t.Errorf("%+v: delay %d is %v", p, n, d)
			}
		}
	}
}

// golang/go#44343, #47084, tarakc02/ratelimitr#13, App-vNext/Polly#260: a high
// rate is never reached, or passed by a timer that fires early.
func TestHighRateIsReachedAndKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		saturate(t, base, transport.Limits{"/": {{Rate: 1000, Burst: 20}}}, 10*time.Second)
		wantConforming(t, base.at, 1000, 20)
		if n := len(base.at); n < 10_019 || n > 10_020 {
			t.Errorf("%d sent in 10s, want 20 and 1000 a second", n)
		}
	})
}

// python-trio/trimeter#6, agronholm/anyio#992: a new process has a full bucket
// that the one before has just used.
func TestRestartBeginsWithWhatIsLeft(t *testing.T) {
	for _, tt := range []struct{ spent, refused, atOnce int }{{9, 1, 1}, {0, 20, 10}} {
		synctest.Test(t, func(t *testing.T) {
			srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1, Burst: 10, Spent: 10})
			start := time.Now()
			tr := &transport.Transport{
				Base:   slowBase{srv.Client().Transport, 50 * time.Millisecond},
				Limits: transport.Limits{"/": {{Rate: 1, Burst: 10, Spent: tt.spent}}},
			}
			var wg sync.WaitGroup
			crowd(&wg, 10, func(int) { do(t, tr, get(t, srv.URL)) })
			atOnce := 0
			for _, a := range srv.Arrivals() {
				if a.At.Equal(start) {
					atOnce++
				}
			}
			wg.Wait()
			if atOnce != tt.atOnce || srv.Refused() > tt.refused {
				t.Errorf("%d of the burst spent: %d sent at once, %d refused", tt.spent, atOnce, srv.Refused())
			}
		})
	}
}

// xanzy/go-gitlab#1837: a burst of less than one makes every wait fail.
func TestPublishedRateWithoutABurstIsOneCallAtATime(t *testing.T) {
	for _, fields := range [][]string{
		{"X-RateLimit-Replenish-Rate", "2"},
		{"X-RateLimit-Replenish-Rate", "2", "X-RateLimit-Burst-Capacity", "0"},
	} {
		t.Run(strings.Join(fields, " "), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := newScript(answer(200, "", fields...))
				tr := &transport.Transport{Base: base}
				for range 4 {
					do(t, tr, get(t, api))
				}
				wantPace(t, base.at, 0, 500*time.Millisecond)
			})
		})
	}
}

// golang/go#39984, #47221, sourcegraph/sourcegraph#19720: a published rate of
// zero is neither unlimited nor for ever. Calls end within MaxWait, one now and
// then asks, and a later rate sets them going.
func TestPublishedRateOfZeroIsNotUnlimited(t *testing.T) {
	for _, field := range []string{`"p";q=0;w=1`, `"p";q=0;w=1;burst=0`} {
		t.Run(field, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := newScript(answer(200, "", "RateLimit-Policy", field))
				tr := &transport.Transport{Base: base, MaxWait: 5 * time.Second}
				start := time.Now()
				var wg sync.WaitGroup
				crowd(&wg, 10, func(int) { _, _ = attempt(tr, get(t, api)) })
				wg.Wait()
				if took := time.Since(start); took > 5*time.Second {
					t.Errorf("the calls took %v", took)
				}
				if n := len(base.at); n > 6 {
					t.Errorf("%d calls sent at %v, want one, and then one now and then", n, base.at)
				}
			})
		})
	}
}

// go-redis/redis_rate#24, authgear/authgear-server#3125, of calls that go
// together before anything is known: they count in the first window.
func TestCallsOfAColdStartCountInTheQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &fixedWindow{n: 17, window: 30 * time.Second, publish: true}
		base := newScript(srv.answer)
		tr := &transport.Transport{Base: slowBase{base, 50 * time.Millisecond}, MaxWait: -1}
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() { do(t, tr, get(t, api)) })
		}
		wg.Wait()
		if srv.refused != 0 {
			t.Errorf("%d refused", srv.refused)
		}
		wantWindows(t, base.at, 17, 30*time.Second)
	})
}

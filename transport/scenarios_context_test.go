package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// onePerSecond is a Transport with a limit by hand of one call a second.
func onePerSecond(base http.RoundTripper) *transport.Transport {
	return &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 1}}}}
}

// hashicorp/go-retryablehttp#272, #292, temporalio/temporal#4403,
// vimeo/go-retry#7, snowflakedb/gosnowflake#199: asleep although the deadline
// ends first.
func TestDelayPastTheDeadlineIsNotSlept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := contextWithTimeout(t, 5*time.Minute)
		defer cancel()
		base := newScript(answer(429, "", "Retry-After", "600"))
		start := time.Now()
		status, _ := do(t, &transport.Transport{Base: base, MaxWait: -1}, get(t, api).WithContext(ctx))
		if status != 429 || time.Since(start) != 0 || base.hits() != 1 {
			t.Errorf("status %d after %v and %d attempts", status, time.Since(start), base.hits())
		}
	})
}

// resilience4j/resilience4j#1283: a caller waits its whole timeout for a slot
// that is known to come later.
func TestSlotPastTheDeadlineIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := onePerSecond(base)
		ctx, cancel := contextWithTimeout(t, 2500*time.Millisecond)
		defer cancel()
		start := time.Now()
		var calls tally
		var wg sync.WaitGroup
		crowd(&wg, 10, func(int) {
			if _, err := attempt(tr, get(t, api).WithContext(ctx)); err != nil {
				wantLocal(t, err, throttle.CauseLimit, 3*time.Second)
				calls.add("refused here")
			}
		})
		if refused := calls.of("refused here"); time.Since(start) != 0 || refused != 7 {
			t.Errorf("%d refused after %v, want 7 at once", refused, time.Since(start))
		}
		crowd(&wg, 1, func(int) { do(t, tr, get(t, api)) })
		wg.Wait()
		base.wantAt(t, seconds(0, 1, 2, 3)...)
	})
}

// golang/go#54541, kubernetes/kubernetes#137694,
// kubernetes-sigs/cli-utils#635, openkruise/agents#530: the refusal is a bare text.
func TestLocalRefusalIsTyped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: onePerSecond(newScript(answer(200, "")))}
		resp, err := client.Do(get(t, api))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		ctx, cancel := contextWithTimeout(t, 500*time.Millisecond)
		defer cancel()
		_, err = client.Do(get(t, api).WithContext(ctx))
		we, ok := errors.AsType[*throttle.WaitError](err)
		if !ok || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			t.Fatalf("Do = %v", err)
		}
		if we.Key != "api.example.com" || we.Wait != time.Second || !we.At.Equal(time.Now().Add(time.Second)) || we.Cause != throttle.CauseLimit {
			t.Errorf("%+v", we)
		}
		gone := errors.New("gone")
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(100*time.Millisecond, func() { stop(gone) })
		_, err = client.Do(get(t, api).WithContext(ctx))
		if !errors.Is(err, context.Canceled) || !errors.Is(err, gone) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled: Do = %v", err)
		}
	})
}

// golang/go#56924, #69419, #52584: a call that is cancelled gives back the
// wrong number of tokens.
func TestCancelledCallGivesItsSlotBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := onePerSecond(base)
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		var wg sync.WaitGroup
		at := make([]time.Duration, 4)
		send := func(i int) {
			do(t, tr, get(t, api))
			at[i] = time.Since(start)
		}
		crowd(&wg, 3, func(i int) {
			if i != 1 {
				send(i)
			} else if _, err := attempt(tr, get(t, api).WithContext(ctx)); !errors.Is(err, context.Canceled) {
				t.Errorf("B: %v", err)
			}
		})
		time.Sleep(500 * time.Millisecond)
		cancel()
		time.Sleep(100 * time.Millisecond)
		crowd(&wg, 1, func(int) { send(3) })
		wg.Wait()
		if at[2] != time.Second || at[3] != 2*time.Second {
			t.Errorf("C went at %v and D at %v, want 1s and 2s", at[2], at[3])
		}
		base.wantAt(t, seconds(0, 1, 2)...)
	})
}

// The same reports: one that was refused leaves a trace.
func TestRefusedCallsLeaveNoTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := onePerSecond(base)
		do(t, tr, get(t, api))
		ctx, cancel := contextWithTimeout(t, 500*time.Millisecond)
		defer cancel()
		for range 1000 {
			_, err := attempt(tr, get(t, api).WithContext(ctx))
			wantLocal(t, err, throttle.CauseLimit, time.Second)
		}
		do(t, tr, get(t, api))
		base.wantAt(t, seconds(0, 1)...)

		lim := throttle.NewLimiter(rate.Limit(1), 1)
		lim.Allow()
		for range 1000 {
			lim.Reserve().Cancel()
			if lim.ReserveN(time.Now(), 2).OK() {
				t.Fatal("two of a burst of one were granted")
			}
		}
		if d := lim.Reserve().Delay(); d != time.Second {
			t.Errorf("next slot in %v, want 1s", d)
		}
	})
}

// songzhibin97/gkit#134: a context that is done already uses up a token.
func TestDoneContextUsesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := onePerSecond(base)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			body := &tracked{Reader: strings.NewReader("x")}
			req := post(t, api, "").WithContext(ctx)
			req.Body = body
			if _, err := attempt(tr, req); !errors.Is(err, context.Canceled) || body.closed == 0 {
				t.Fatalf("RoundTrip = %v, body closed %d times", err, body.closed)
			}
		}
		do(t, tr, get(t, api))
		base.wantAt(t, 0)
	})
}

// dotnet/runtime#64078, #77180: those who gave up still count.
func TestThoseWhoGaveUpMakeRoomInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := onePerSecond(base)
		tr.MaxQueue = 5
		do(t, tr, get(t, api))
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		crowd(&wg, 5, func(int) { _, _ = attempt(tr, get(t, api).WithContext(ctx)) })
		if _, err := attempt(tr, get(t, api)); !errors.Is(err, throttle.ErrQueueFull) {
			t.Errorf("one too many: %v", err)
		}
		time.Sleep(500 * time.Millisecond)
		cancel()
		wg.Wait()
		do(t, tr, get(t, api))
		base.wantAt(t, seconds(0, 1)...)
	})
}

// open-telemetry/opentelemetry-python#3309, opentelemetry-js#6340,
// redpanda-data/connect#675, alcionai/corso#2882, uber-go/ratelimit#73: a
// program cannot end while calls wait.
func TestWaitersEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "60"))
		tr := &transport.Transport{Base: base}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		crowd(&wg, 20, func(int) {
			if _, err := attempt(tr, get(t, api).WithContext(ctx)); !errors.Is(err, context.Canceled) {
				t.Errorf("RoundTrip = %v", err)
			}
		})
		time.Sleep(10 * time.Second)
		start := time.Now()
		cancel()
		wg.Wait()
		if took := time.Since(start); took != 0 {
			t.Errorf("they ended %v later", took)
		}
		if s := tr.Budgets()[0]; s.Waiting != 0 || s.InFlight != 0 {
			t.Errorf("left behind: %+v", s)
		}
		base.wantAt(t, 0)
	})
}

// betterleaks/betterleaks#273, diegosouzapw/OmniRoute#9164,
// mjpieters/aiolimiter#176: the wait eats the timeout of the client, and the
// provider is blamed.
func TestWaitDoesNotEatTheClientsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{
			Rate: 1, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(50 * time.Millisecond)
				_, _ = io.WriteString(w, "done")
			}),
		})
		client := &http.Client{Timeout: 2 * time.Second, Transport: onePerSecond(srv.Client().Transport)}
		start := time.Now()
		var calls tally
		var wg sync.WaitGroup
		crowd(&wg, 10, func(int) {
			resp, err := client.Do(get(t, srv.URL))
			if err == nil {
				_ = resp.Body.Close()
				calls.add("answered")
				return
			}
			if _, is := errors.AsType[*throttle.WaitError](err); !is || time.Since(start) != 0 {
				t.Errorf("Do = %v after %v", err, time.Since(start))
			}
			calls.add("refused here")
		})
		wg.Wait()
		if ok, local := calls.of("answered"), calls.of("refused here"); ok != 2 || local != 8 || srv.Admitted() != 2 || srv.Refused() != 0 {
			t.Errorf("%d answered, %d refused here; the server took %d and refused %d", ok, local, srv.Admitted(), srv.Refused())
		}
	})
}

// The context ends between the permission to send again and the sending.
func TestCauseOfTheContextIsKeptBetweenAttempts(t *testing.T) {
	gone := errors.New("the user has gone")
	for range 20 { // it is chance who sees the end first
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			tr := &transport.Transport{
				Base: newScript(answer(429, "", "Retry-After", "1"), answer(200, "")),
				Observe: func(_ context.Context, ev transport.Event) {
					if ev.Kind == transport.EventWaited {
						cancel(gone)
					}
				},
			}
			resp, err := tr.RoundTrip(get(t, api).WithContext(ctx))
			if err == nil {
				_ = resp.Body.Close()
			} else if !errors.Is(err, gone) || !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			synctest.Wait()
		})
	}
}

// net/http adds the user of a URL in http.Client, and not in a RoundTripper.
func TestEveryAttemptHasTheSameHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		base := roundTrip(func(req *http.Request) (*http.Response, error) {
			sent = append(sent, fmt.Sprint(req.Header))
			return answer(429, "", "Retry-After", "1")(req)
		})
		do(t, &transport.Transport{Base: base}, get(t, "https://u:p@api.example.com/"))
		if len(sent) != transport.DefaultMaxAttempts {
			t.Fatalf("sent %d times", len(sent))
		}
		for _, h := range sent {
			if h != "map[]" {
				t.Errorf("sent with %s", h)
			}
		}
	})
}

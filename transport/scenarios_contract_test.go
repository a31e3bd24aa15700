package transport_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// kubernetes/kubernetes#104844, elastic/apm-agent-go#455, stacklok/toolhive#6483:
// CloseIdleConnections does nothing.
func TestCloseIdleConnectionsReachesBase(t *testing.T) {
	base := newScript(answer(200, ""))
	client := &http.Client{Transport: &transport.Transport{Base: &transport.Transport{Base: base}}}
	client.CloseIdleConnections()
	if base.closes != 1 {
		t.Errorf("it came to Base %d times", base.closes)
	}
	(&http.Client{Transport: &transport.Transport{Base: &fixed{}}}).CloseIdleConnections() // which has no such method
}

// google/go-github#805, prometheus/common#981, asecurityteam/transport#34: the
// wrapper writes to the caller's header, until the server has enough of it.
func TestRequestIsSentAThousandTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		n, fields := 0, map[int]bool{}
		base := newScript(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			n++
			fields[len(req.Header)] = true
			if n%50 == 0 {
				return answer(429, "", "Retry-After", "1")(req)
			}
			return answer(200, "")(req)
		})
		tr := &transport.Transport{Base: base, MaxWait: -1, MaxAttempts: 100}
		req := get(t, api)
		req.Header.Set("X-Mine", "1")
		before := req.Header.Clone()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 125 {
					if status, _ := do(t, tr, req); status != 200 {
						t.Errorf("status %d", status)
					}
				}
			})
		}
		wg.Wait()
		if !reflect.DeepEqual(req.Header, before) || len(fields) != 1 || !fields[1] {
			t.Errorf("header %v, sent with these numbers of fields: %v", req.Header, fields)
		}
	})
}

// envoyproxy/envoy#4855, alexfalkowski/go-service#2862, manaflow-ai/cmux#11060:
// a refusal made here looks like one of the server.
func TestLocalRefusalIsNoResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kinds tally
		tr := onePerSecond(newScript(answer(200, "")))
		tr.MaxQueue = 1
		tr.Observe = func(_ context.Context, e transport.Event) { kinds.add(string(e.Kind)) }
		var wg sync.WaitGroup
		crowd(&wg, 2, func(int) { do(t, tr, get(t, api)) })
		resp, err := tr.RoundTrip(get(t, api))
		we, ok := errors.AsType[*throttle.WaitError](err)
		if resp != nil || !ok || we.Cause != throttle.CauseQueue || !errors.Is(err, throttle.ErrQueueFull) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("RoundTrip = %v, %v", resp, err)
		}
		wg.Wait()
		if kinds.of(string(transport.EventRefusedLocally)) != 1 || kinds.of(string(transport.EventThrottled)) != 0 {
			t.Errorf("events %v", kinds.n)
		}
	})
}

// discordjs/discord.js#1949, #2110: one call that fails locks the queue for ever.
func TestFailuresDoNotLockTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		base := newScript(
			fail(broken),
			func(*http.Request) (*http.Response, error) { panic("base") },
			func(req *http.Request) (*http.Response, error) {
				resp, err := answer(200, "")(req)
				resp.Body = io.NopCloser(iotest.ErrReader(broken))
				return resp, err
			},
			answer(200, ""),
		)
		tr := onePerSecond(base)
		tr.MaxConcurrent = 1
		if _, err := attempt(tr, get(t, api)); !errors.Is(err, broken) {
			t.Errorf("first: %v", err)
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = attempt(tr, get(t, api))
		}()
		resp, err := tr.RoundTrip(get(t, api))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, broken) { // and is never closed
			t.Errorf("third: %v", err)
		}
		do(t, tr, get(t, api))
		base.wantAt(t, seconds(0, 1, 2, 3)...)
		if s := tr.Budgets()[0]; s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("left behind: %+v", s)
		}
	})
}

// rancher/local-path-provisioner#417, mustafaakin/kubernetes-event-exporter#16,
// enix/x509-certificate-exporter#278: a line in the log for each call that waits.
func TestNothingIsLogged(t *testing.T) {
	var out bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&out) // to which log/slog writes as well
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "1"), answer(503, ""), answer(200, ""))
		tr := onePerSecond(base)
		for range 1000 {
			do(t, tr, get(t, api))
		}
	})
	if out.Len() > 0 {
		t.Errorf("logged: %s", out.String())
	}
}

// kubernetes/kubernetes#22421, elastic/cloud-on-k8s#6007, grafana/loki#925: no
// figure tells the time spent waiting here from that of the server.
func TestWaitsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sum time.Duration
		count := 0
		tr := onePerSecond(newScript(answer(200, "")))
		tr.Observe = func(_ context.Context, e transport.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Kind == transport.EventWaited {
				sum += e.Wait
				count++
			}
		}
		var wg sync.WaitGroup
		crowd(&wg, 10, func(int) { do(t, tr, get(t, api)) })
		if s := tr.Budgets()[0]; s.Waiting != 9 || s.NextSlot != 10*time.Second {
			t.Errorf("state %+v, want 9 that wait and the next slot in 10s", s)
		}
		wg.Wait()
		if sum != 45*time.Second || count != 9 {
			t.Errorf("%d calls waited for %v, want 9 for 45s", count, sum)
		}
	})
}

// golang/go#21210, uber-go/ratelimit#72, juju/ratelimit#17: time cannot be
// replaced, or wakes in the wrong order.
func TestAnHourOfTwoHostsPassesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		base := newScript(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, req.URL.Host)
			return answer(200, "")(req)
		})
		tr := &transport.Transport{Base: base, MaxWait: -1, Limits: transport.Limits{"a/": {{Rate: 0.5}}, "b/": {{Rate: 0.5}}}}
		start := time.Now()
		var wg sync.WaitGroup
		for _, host := range []string{"a", "b"} {
			wg.Go(func() {
				for range 1801 {
					do(t, tr, get(t, "http://"+host+"/"))
				}
			})
			time.Sleep(time.Second)
		}
		wg.Wait()
		if took := time.Since(start); took != 3601*time.Second {
			t.Errorf("took %v", took)
		}
		for i, host := range order {
			if want := []string{"a", "b"}[i%2]; host != want {
				t.Fatalf("call %d went to %s, want %s", i, host, want)
			}
		}
	})
}

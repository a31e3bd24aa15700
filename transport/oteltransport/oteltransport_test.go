package oteltransport_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// A script answers with one status after the other, the last for ever. A refusal
// asks for two seconds; all publish a limit of one a second, at most four at once.
type script struct {
	mu       sync.Mutex
	statuses []int
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.statuses[0]
	if len(s.statuses) > 1 {
		s.statuses = s.statuses[1:]
	}
	h := http.Header{"Ratelimit-Policy": {`"p";q=1;w=1;burst=4`}}
	if status == http.StatusTooManyRequests {
		h.Set("Retry-After", "2")
	}
	return &http.Response{StatusCode: status, Header: h, Body: http.NoBody, Request: req}, nil
}

func newTransport(statuses ...int) *transport.Transport {
	return &transport.Transport{Base: &script{statuses: statuses}, Backoff: backoff.Policy{Jitter: backoff.NoJitter}}
}

func call(ctx context.Context, t *testing.T, rt http.RoundTripper) (status int, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.example.com/v1/things?key=s3cret", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer s3cret")
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// Ten calls come at once. Nothing is known of the server when the first is
// answered; then three more find 3, 2 and 1 of 4 left, and go at once, and the
// others wait for 1 to 6 seconds. All that is to be read at Prometheus.
func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(200)
		p := instrument(t, tr)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { _, _ = call(t.Context(), t, tr) })
			synctest.Wait()
		}
		text := p.scrape(t)
		const key = "headway_key=api.example.com"
		wantValue(t, text, 6, "headway_client_waiters", key)
		wantValue(t, text, 0, "headway_client_cooldown_remaining_seconds", key)
		wantValue(t, text, 1, "headway_client_limit_rate_per_second", key, "headway_limit_source=learned", "headway_limit_index=0")
		wantValue(t, text, 4, "headway_client_limit_burst", key, "headway_limit_source=learned", "headway_limit_index=0")
		wantValue(t, text, 4, "headway_client_calls_total", key, "headway_outcome=sent")
		wantValue(t, text, 4, "headway_client_wait_duration_seconds_count", key)
		wantValue(t, text, 0, "headway_client_wait_duration_seconds_sum", key)
		wantValue(t, text, -1, "headway_client_near_limit_total", key)
		wg.Wait()

		text = p.scrape(t)
		wantValue(t, text, 0, "headway_client_waiters", key)
		wantValue(t, text, 10, "headway_client_calls_total", key, "headway_outcome=sent")
		wantValue(t, text, 6, "headway_client_near_limit_total", key)
		wantValue(t, text, 21, "headway_client_wait_duration_seconds_sum", key, "headway_cause=limit")
		wantValue(t, text, 6, "headway_client_wait_duration_seconds_count", key, "headway_cause=limit")
		wantValue(t, text, 1, "headway_client_wait_duration_seconds_bucket", key, "headway_cause=limit", "le=1")
		wantValue(t, text, 5, "headway_client_wait_duration_seconds_bucket", key, "headway_cause=limit", "le=5")
		if strings.Contains(text, "s3cret") || strings.Contains(text, "things") {
			t.Errorf("a secret is told:\n%s", text)
		}
	})
}

// What may become of a call, each by a server that does it.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name     string
		statuses []int
		set      func(*transport.Transport)
		calls    int
		want     map[string]float64
	}{
		{"refused, then answered", []int{429, 200}, nil, 1, map[string]float64{"sent": 2, "refused_by_server": 1, "retried": 1}},
		{"refused always", []int{429}, func(tr *transport.Transport) { tr.MaxAttempts = 2 }, 1, map[string]float64{"sent": 2, "refused_by_server": 2, "retried": 1, "gave_up": 1}},
		{"broken always", []int{500}, func(tr *transport.Transport) { tr.MaxAttempts = 2 }, 1, map[string]float64{"sent": 2, "retried": 1, "gave_up": 1}},
		{"refused here", []int{200}, func(tr *transport.Transport) {
			tr.Limits = transport.Limits{"api.example.com/": {{Rate: 0.001}}}
		}, 3, map[string]float64{"sent": 1, "refused_locally": 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := newTransport(tt.statuses...)
				if tt.set != nil {
					tt.set(tr)
				}
				p := instrument(t, tr)
				for range tt.calls {
					_, _ = call(t.Context(), t, tr)
				}
				text := p.scrape(t)
				for _, outcome := range []string{"sent", "refused_by_server", "retried", "gave_up", "refused_locally"} {
					want, ok := tt.want[outcome]
					if !ok {
						want = -1
					}
					wantValue(t, text, want, "headway_client_calls_total", "headway_key=api.example.com", "headway_outcome="+outcome)
				}
			})
		})
	}
}

// The cool-down runs down, for those who look.
func TestCoolDownIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(429)
		tr.MaxAttempts = 1
		p := instrument(t, tr)
		_, _ = call(t.Context(), t, tr)
		for _, left := range []float64{2, 1, 0} {
			wantValue(t, p.scrape(t), left, "headway_client_cooldown_remaining_seconds", "headway_key=api.example.com")
			time.Sleep(time.Second)
		}
		if err := p.registration.Unregister(); err != nil {
			t.Error(err)
		}
		wantValue(t, p.scrape(t), -1, "headway_client_cooldown_remaining_seconds", "headway_key=api.example.com")
	})
}

// What only would have been has a mark, and a class of calls its name.
func TestShadowIsMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(200)
		tr.Shadow, tr.Limits = true, transport.Limits{"GET api.example.com/v1/": {{Rate: 0.5, Burst: 1}, {Rate: 100, Burst: 9}}}
		p := instrument(t, tr)
		for range 3 {
			_, _ = call(t.Context(), t, tr)
		}
		text := p.scrape(t)
		class := []string{"headway_key=api.example.com", "headway_class=GET api.example.com/v1/", "headway_shadow=true"}
		wantValue(t, text, 3, "headway_client_calls_total", append(class, "headway_outcome=sent")...)
		wantValue(t, text, 6, "headway_client_wait_duration_seconds_sum", append(class, "headway_cause=limit")...)
		wantValue(t, text, 0.5, "headway_client_limit_rate_per_second", append(class, "headway_limit_source=manual", "headway_limit_index=0")...)
		wantValue(t, text, 9, "headway_client_limit_burst", append(class, "headway_limit_source=manual", "headway_limit_index=1")...)
	})
}

// Warnings are counted, and whoever observed before still does.
func TestWarningsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(200)
		loops := 0
		tr.Observe = func(_ context.Context, ev transport.Event) {
			if ev.Kind == transport.EventLoop {
				loops++
			}
		}
		p := instrument(t, tr)
		for range 100 {
			_, _ = call(t.Context(), t, tr)
		}
		wantValue(t, p.scrape(t), 1, "headway_client_warnings_total", "headway_key=api.example.com", "headway_warning=loop")
		if loops != 1 {
			t.Errorf("told of %d loops", loops)
		}
	})
}

// A modedStore is one of which nothing is asked but whether it is there.
type modedStore struct {
	throttle.Store
	shared bool
}

func (s *modedStore) Shared() bool { return s.shared }

func TestStoreMode(t *testing.T) {
	store := &modedStore{shared: true}
	p := instrument(t, &transport.Transport{Store: store})
	wantValue(t, p.scrape(t), 1, "headway_client_store_shared")
	store.shared = false
	wantValue(t, p.scrape(t), 0, "headway_client_store_shared")
}

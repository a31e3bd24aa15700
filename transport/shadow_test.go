package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// An eventLog keeps the events of calls that come one after the other.
type eventLog struct {
	mu     sync.Mutex
	events []transport.Event
}

func (l *eventLog) observe(_ context.Context, e transport.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// of returns the events of one kind.
func (l *eventLog) of(kind transport.EventKind) (events []transport.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Kind == kind {
			events = append(events, e)
		}
	}
	return events
}

// Two a second, two at once, at most a second of waiting. Six calls come at 0: two
// would go at once, two wait half a second and a second, and two be refused, for
// a wait of 1.5 s. One at 0.75 s would go at 1.5 s. All of them go when they come.
func TestShadowDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, log := newScript(answer(200, "hello")), &eventLog{}
		tr := &transport.Transport{
			Base: base, Shadow: true, MaxWait: time.Second, Observe: log.observe,
			Limits: transport.Limits{"api.example.com/": {{Rate: 2, Burst: 2}}},
		}
		for range 6 {
			if status, body := do(t, tr, post(t, api, "x")); status != 200 || body != "hello" {
				t.Errorf("status %d, body %q", status, body)
			}
		}
		time.Sleep(750 * time.Millisecond)
		do(t, tr, get(t, api))
		base.wantAt(t, seconds(0, 0, 0, 0, 0, 0, 0.75)...)

		var waits []time.Duration
		for _, e := range log.of(transport.EventWaited) {
			waits = append(waits, e.Wait)
			if !e.Shadow || e.Cause != throttle.CauseLimit {
				t.Errorf("event %+v", e)
			}
		}
		if want := seconds(0.5, 1, 0.75); !slices.Equal(waits, want) {
			t.Errorf("waits %v, want %v", waits, want)
		}
		refused := log.of(transport.EventRefusedLocally)
		if len(refused) != 2 || refused[0].Wait != 1500*time.Millisecond || !refused[0].Shadow || !errors.Is(refused[0].Err, throttle.ErrMaxWait) {
			t.Errorf("refused %+v", refused)
		}
		if sent := log.of(transport.EventSent); len(sent) != 7 {
			t.Errorf("%d sent", len(sent))
		}
	})
}

// A call is sent once, and what comes of it goes back, whatever it is. A refusal
// would have held back those after it.
func TestShadowSendsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := io.ErrUnexpectedEOF
		base, log := newScript(answer(503, ""), fail(broken), answer(429, "no", "Retry-After", "10"), answer(200, "")), &eventLog{}
		tr := &transport.Transport{Base: base, Shadow: true, Observe: log.observe, Backoff: still}
		if status, _ := do(t, tr, get(t, api)); status != 503 {
			t.Errorf("status %d, want the 503", status)
		}
		if _, err := tr.RoundTrip(get(t, api)); !errors.Is(err, broken) {
			t.Errorf("error %v, want that of Base", err)
		}
		if status, body := do(t, tr, get(t, api)); status != 429 || body != "no" {
			t.Errorf("status %d, want the 429", status)
		}
		time.Sleep(4 * time.Second)
		do(t, tr, get(t, api))
		base.wantAt(t, seconds(0, 0, 0, 4)...)
		waited := log.of(transport.EventWaited)
		if len(waited) != 1 || waited[0].Wait != 6*time.Second || waited[0].Cause != throttle.CauseCoolDown {
			t.Errorf("waits %+v, want one of 6s for the cool-down", waited)
		}
		if throttled := log.of(transport.EventThrottled); len(throttled) != 1 || throttled[0].Wait != 10*time.Second {
			t.Errorf("throttled %+v", throttled)
		}
		if n := len(log.of(transport.EventRetry)) + len(log.of(transport.EventGaveUp)); n != 0 {
			t.Errorf("%d events of retries", n)
		}
	})
}

// The limits that a server publishes hold in the schedule from the first answer
// on, one a second and two at once: the first call has used one.
func TestShadowGoesByPublishedLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, log := newScript(answer(200, "", bucket(1, 1, 2)...)), &eventLog{}
		tr := &transport.Transport{Base: base, Shadow: true, Observe: log.observe}
		for range 4 {
			do(t, tr, get(t, api))
		}
		var waits []time.Duration
		for _, e := range log.of(transport.EventSent) {
			waits = append(waits, e.Wait)
		}
		if want := seconds(0, 0, 1, 2); !slices.Equal(waits, want) {
			t.Errorf("waits %v, want %v", waits, want)
		}
		if s := tr.Budgets(); len(s) != 1 || s[0].Waiting != 2 || s[0].Learned != 1 {
			t.Errorf("budgets %+v", s)
		}
	})
}

// What makes no sense refuses nobody either, but is told.
func TestShadowWithABadField(t *testing.T) {
	for name, set := range map[string]func(*transport.Transport, *http.Request) *http.Request{
		"a field": func(tr *transport.Transport, req *http.Request) *http.Request {
			tr.Limits = transport.Limits{"nonsense": nil}
			return req
		},
		"a cost": func(_ *transport.Transport, req *http.Request) *http.Request {
			return req.WithContext(throttle.WithCost(req.Context(), -1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			base, log := newScript(answer(200, "")), &eventLog{}
			tr := &transport.Transport{Base: base, Shadow: true, Observe: log.observe}
			req := set(tr, post(t, api, "x"))
			if status, _ := do(t, tr, req); status != 200 {
				t.Errorf("status %d", status)
			}
			if refused := log.of(transport.EventRefusedLocally); len(refused) != 1 || refused[0].Err == nil {
				t.Errorf("events %+v", log.events)
			}
		})
	}
}

// Base is given the request itself, and its body is closed by Base.
func TestShadowHandsTheRequestOn(t *testing.T) {
	var seen *http.Request
	base := roundTrip(func(req *http.Request) (*http.Response, error) {
		seen = req
		return answer(200, "")(req)
	})
	req := post(t, api, "")
	req.Body = io.NopCloser(strings.NewReader("x"))
	do(t, &transport.Transport{Base: base, Shadow: true}, req)
	if seen != req {
		t.Error("Base was given another request")
	}
}

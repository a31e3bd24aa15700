package transport_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// Each attempt is told of once it was sent, what came of it after that, and in
// the end that there is no more to be done.
func TestEventsOfACall(t *testing.T) {
	for _, tt := range []struct {
		name string
		call func(*transport.Transport)
		want string
	}{
		{"answered", func(tr *transport.Transport) { tr.Base = newScript(answer(200, "")) }, "sent 1 200"},
		{"refused, then answered", func(tr *transport.Transport) {
			tr.Base = newScript(answer(429, "", "Retry-After", "1"), answer(200, ""))
		}, "sent 1 429, throttled 1 429, retry 2 429, waited 2, sent 2 200"},
		{"refused always", func(tr *transport.Transport) {
			tr.Base, tr.MaxAttempts = newScript(answer(429, "", "Retry-After", "1")), 2
		}, "sent 1 429, throttled 1 429, retry 2 429, waited 2, sent 2 429, throttled 2 429, gave up 2 429"},
		{"refused, once", func(tr *transport.Transport) {
			tr.Base, tr.MaxAttempts = newScript(answer(429, "")), 1
		}, "sent 1 429, throttled 1 429, gave up 1 429"},
		{"refused for too long", func(tr *transport.Transport) {
			tr.Base = newScript(answer(429, "", "Retry-After", "3600"))
		}, "sent 1 429, throttled 1 429, gave up 1 429"},
		{"unavailable", func(tr *transport.Transport) {
			tr.Base, tr.MaxAttempts = newScript(answer(500, "")), 2
		}, "sent 1 500, retry 2 500, sent 2 500, gave up 2 500"},
		{"not found", func(tr *transport.Transport) { tr.Base = newScript(answer(404, "")) }, "sent 1 404"},
		{"nobody to be reached", func(tr *transport.Transport) {
			tr.Base = newScript(fail(context.Canceled))
		}, "sent 1 context canceled, gave up 1 context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &eventLog{}
				tr := &transport.Transport{Observe: log.observe, Backoff: still}
				tt.call(tr)
				_, _ = attempt(tr, get(t, api))
				var got []string
				for _, e := range log.events {
					s := fmt.Sprint(e.Kind, " ", e.Attempt)
					if e.Status > 0 {
						s += fmt.Sprint(" ", e.Status)
					}
					if e.Err != nil {
						s += fmt.Sprint(" ", e.Err)
					}
					got = append(got, s)
				}
				if got := strings.Join(got, ", "); got != tt.want {
					t.Errorf("events:\n%s\nwant:\n%s", got, tt.want)
				}
			})
		})
	}
}

// Of a burst of four each call finds a quarter less; one that waits finds nothing.
func TestEventsTellWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &eventLog{}
		tr := &transport.Transport{
			Base: newScript(answer(200, "")), Observe: log.observe,
			Limits: transport.Limits{"api.example.com/": {{Rate: 1, Burst: 4}}},
		}
		for range 5 {
			do(t, tr, get(t, api))
		}
		time.Sleep(2 * time.Second)
		do(t, tr, get(t, api).WithContext(throttle.WithCost(t.Context(), 2)))
		var left []float64
		for _, e := range log.of(transport.EventSent) {
			left = append(left, e.Left)
		}
		if want := []float64{1, 0.75, 0.5, 0.25, 0, 0.5}; !slices.Equal(left, want) {
			t.Errorf("left %v, want %v", left, want)
		}
		if waited := log.of(transport.EventWaited); len(waited) != 1 || waited[0].Cause != throttle.CauseLimit {
			t.Errorf("waits %+v", waited)
		}
	})
}

// The logger of the example logs a cause again after a minute, and then how many
// it left out.
func TestEventLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		logger := &EventLogger{Log: slog.New(slog.NewTextHandler(&out, nil))}
		tr := onePerSecond(newScript(answer(200, "")))
		tr.Observe = logger.Observe
		for range 100 { // 99 of them wait, to 99s
			do(t, tr, get(t, api))
		}
		if n, more := strings.Count(out.String(), "msg=waited"), strings.Count(out.String(), "more=59"); n != 2 || more != 1 {
			t.Errorf("logged:\n%s", out.String())
		}
	})
}

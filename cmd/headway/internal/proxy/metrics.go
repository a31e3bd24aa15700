package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// metrics are what /metrics shows. Of a call they know its key, and how it ended.
type metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	refusals *prometheus.CounterVec
	retries  *prometheus.CounterVec
	waits    *prometheus.HistogramVec
	keys     labels
	keyOf    func(*http.Request) string
}

func newMetrics(t *transport.Transport) *metrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_proxy_" + name, Help: help}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		calls:    counters("calls_total", "Calls by their outcome: answered, with the status; or why not: "+strings.Join(outcomes, ", ")+".", "key", "outcome", "code"),
		refusals: counters("server_refusals_total", "Attempts that a server refused because of a limit.", "key"),
		retries:  counters("retries_total", "Attempts after the first.", "key"),
		waits: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "headway_proxy_wait_seconds",
			Help:    "How long calls that were sent waited here, all attempts together.",
			Buckets: []float64{0, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"key"}),
		keyOf: func(r *http.Request) string { return keyOf(t, r) },
	}
	m.registry.MustRegister(m.calls, m.refusals, m.retries, m.waits, budgets{t},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func keyOf(t *transport.Transport, r *http.Request) string {
	if t.Key != nil {
		return t.Key(r)
	}
	return transport.KeyByHost(r)
}

// labels keeps the number of keys that are counted apart within bounds, and what
// a client names a host fit to be shown.
type labels struct {
	mu   sync.Mutex
	seen map[string]bool
}

// others stands for the keys beyond maxKeys.
const others = "(others)"

func (l *labels) of(key string) string {
	key = printable(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	if !l.seen[key] && len(l.seen) >= maxKeys {
		return others
	}
	l.seen[key] = true
	return key
}

// printable is the text without what a terminal would take for a command, or a
// label cannot have. No two texts become the same.
func printable(text string) string {
	quoted := strconv.QuoteToGraphic(text)
	return quoted[1 : len(quoted)-1]
}

// A counter counts what becomes of calls.
type counter struct {
	*metrics
	paced http.RoundTripper
}

func (c counter) RoundTrip(req *http.Request) (*http.Response, error) {
	key := c.keys.of(c.keyOf(req))
	resp, err := c.paced.RoundTrip(req)
	how, code := outcome(err), ""
	if err == nil {
		code = strconv.Itoa(resp.StatusCode)
	}
	c.calls.WithLabelValues(key, how, code).Inc()
	if err == nil || how == failed {
		c.waits.WithLabelValues(key).Observe(callOf(req).waited.Seconds())
	}
	return resp, err
}

// failed is the outcome of a call that the network failed.
const failed = "failed"

// outcomes are those of calls that have no answer.
var outcomes = []string{
	string(throttle.CauseLimit), string(throttle.CauseCoolDown), string(throttle.CauseConcurrency), string(throttle.CauseQueue),
	"stopping", "cancelled", "denied", failed,
}

func outcome(err error) string {
	if err == nil {
		return "answered"
	}
	if wait, ok := errors.AsType[*throttle.WaitError](err); ok {
		return string(wait.Cause)
	}
	_, denied := errors.AsType[*deniedError](err)
	switch {
	case denied:
		return "denied"
	case errors.Is(err, errStopping):
		return "stopping"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return failed
}

// observe is told by the Transport what happens to a call.
func (p *Proxy) observe(ctx context.Context, e transport.Event) {
	key := p.metrics.keys.of(e.Key)
	switch e.Kind {
	case transport.EventWaited:
		ctx.Value(callKey{}).(*call).waited += e.Wait // on its own goroutine
	case transport.EventThrottled:
		p.metrics.refusals.WithLabelValues(key).Inc()
		p.notices.say(e.Key, fmt.Sprintf("the server refuses (%d); its calls wait for what it asks", e.Status))
	case transport.EventRetry:
		p.metrics.retries.WithLabelValues(key).Inc()
	case transport.EventRefusedLocally:
		if wait, ok := errors.AsType[*throttle.WaitError](e.Err); ok {
			p.notices.say(e.Key, fmt.Sprintf("calls are not sent: %v for the %s", wait.Err, wait.Cause))
		}
	}
}

package transport

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/throttle"
)

// An engine is what the fields of a Transport amount to, worked out at the
// first call.
type engine struct {
	bad         error // what is wrong with the fields
	base        http.RoundTripper
	key         func(*http.Request) string
	maxWait     time.Duration // 0: no bound
	maxAttempts int
	backoff     backoff.Policy
	throttled   func(*http.Response) bool
	observe     func(context.Context, Event)
	retries     *retryablehttp.Client

	budgets throttle.Keyed
	limits  atomic.Pointer[limitTable]
	routes  sync.Map // routeID → *route

	mu sync.Mutex // held while limits change, and while a route is made
}

// A route is where a call draws its slots: a key, and what is limited by hand
// there.
type route struct {
	key, pattern string
	lane         *throttle.Lane
}

type routeID struct{ key, pattern string }

func (t *Transport) engine() *engine {
	if e := t.ready.Load(); e != nil {
		return e
	}
	t.once.Do(func() { t.ready.Store(t.start()) })
	return t.ready.Load()
}

func (t *Transport) start() *engine {
	e := &engine{
		base:        t.Base,
		key:         t.Key,
		maxWait:     t.MaxWait,
		maxAttempts: t.MaxAttempts,
		backoff:     t.Backoff,
		throttled:   t.Throttled,
		observe:     t.Observe,
	}
	if e.base == nil {
		e.base = http.DefaultTransport
	}
	if e.key == nil {
		e.key = KeyByHost
	}
	if e.maxWait == 0 {
		e.maxWait = defaultMaxWait
	}
	e.maxWait = max(0, e.maxWait)
	if e.maxAttempts == 0 {
		e.maxAttempts = defaultMaxAttempts
	}
	maxQueue, maxConcurrent := t.MaxQueue, t.MaxConcurrent
	e.budgets.New = func(string) *throttle.Budget {
		b := &throttle.Budget{}
		b.SetMaxQueue(maxQueue)
		b.SetMaxConcurrent(maxConcurrent)
		return b
	}
	e.retries = e.newRetries()
	table, err := t.Limits.compile()
	e.limits.Store(table)
	if e.bad = t.validateNumbers(); e.bad == nil {
		e.bad = err
	}
	return e
}

// route finds the budget and the lane of a request.
func (e *engine) route(req *http.Request) (*route, error) {
	id := routeID{key: e.key(req)}
	if table := e.limits.Load(); table != nil {
		id.pattern = table.match(req)
	}
	if r, ok := e.routes.Load(id); ok {
		return r.(*route), nil
	}
	return e.newRoute(id)
}

func (e *engine) newRoute(id routeID) (*route, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	// The limits are looked up again, under the mutex: SetLimits changes those
	// of every route that is there by then.
	var limits []throttle.Limit
	if table := e.limits.Load(); table != nil {
		limits = table.limits[id.pattern]
	}
	lane, err := e.budgets.Budget(id.key).Lane(id.pattern, limits...)
	if err != nil {
		return nil, err
	}
	r, _ := e.routes.LoadOrStore(id, &route{key: id.key, pattern: id.pattern, lane: lane})
	return r.(*route), nil
}

// SetLimits replaces the limits set by hand, while calls wait: they are planned
// anew. Each keeps its level, so that nobody gains or loses a burst by it. The
// error is a *[ConfigError]; nothing is changed then.
func (t *Transport) SetLimits(limits Limits) error {
	table, err := limits.compile()
	if err != nil {
		return err
	}
	e := t.engine()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.limits.Store(table)
	e.routes.Range(func(_, v any) bool {
		r := v.(*route)
		if r.pattern == "" {
			return true
		}
		if table == nil {
			err = r.lane.SetLimits()
		} else {
			err = r.lane.SetLimits(table.limits[r.pattern]...)
		}
		return err == nil
	})
	return err
}

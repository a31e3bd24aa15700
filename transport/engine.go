package transport

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport/record"
)

// An engine is what the fields of a Transport amount to, worked out at the
// first call.
type engine struct {
	bad         error // what is wrong with the fields
	base        http.RoundTripper
	key         func(*http.Request) string
	keyIsHost   bool
	maxWait     time.Duration // 0: no bound
	maxAttempts int
	backoff     backoff.Policy
	throttled   func(*http.Response) bool
	observe     func(context.Context, Event)
	recorder    *record.File
	shadow      bool
	loops       *loops    // nil if nobody observes
	began       time.Time // the same
	overrides   map[string]headers.Overrides
	retries     *retryablehttp.Client
	faults      *retryBudget

	budgets throttle.Keyed
	last    atomic.Pointer[lastRoute]
	limits  atomic.Pointer[limitTable]
	routes  sync.Map // routeID → *route

	pathNodes atomic.Int64 // of the path tables of all routes

	mu sync.Mutex // held while limits change, and while a route is made
}

// A route is where a call draws its slots: a key, and what is limited by hand
// there.
type route struct {
	key, pattern string
	lane         *throttle.Lane
	paths        pathTable
	split        atomic.Bool               // some calls were shown to be of another lane
	spelled      atomic.Pointer[lastRoute] // as the last call named it that looked it up
	warned       atomic.Int64              // when it was last told that others draw on it; see warnOfOthers
}

type routeID struct{ key, pattern string }

// A lastRoute is where the last call went: most go to the same host as the one
// before.
type lastRoute struct {
	scheme, host string
	route        *route
}

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
		recorder:    t.Record,
		shadow:      t.Shadow,
		overrides:   maps.Clone(t.Overrides),
	}
	if e.observe != nil {
		e.loops, e.began = newLoops(), time.Now()
	}
	if e.base == nil {
		e.base = http.DefaultTransport
	}
	if e.key == nil {
		e.key, e.keyIsHost = KeyByHost, true
	}
	if e.maxWait == 0 {
		e.maxWait = DefaultMaxWait
	}
	e.maxWait = max(0, e.maxWait)
	if e.maxAttempts == 0 {
		e.maxAttempts = DefaultMaxAttempts
	}
	maxQueue, maxConcurrent, spread, store := t.MaxQueue, t.MaxConcurrent, t.Spread, t.Store
	e.budgets.New = func(key string) *throttle.Budget {
		b := &throttle.Budget{}
		b.SetMaxQueue(maxQueue)
		b.SetMaxConcurrent(maxConcurrent)
		b.Probe()
		b.SetSpread(spread)
		b.SetStore(store, key)
		return b
	}
	e.budgets.Max, e.budgets.Drop = t.MaxKeys, e.dropRoutes
	e.retries, e.faults = e.newRetries(), newRetryBudget(t.RetryBudget)
	table, err := t.Limits.compile()
	e.limits.Store(table)
	if e.bad = t.validateFields(); e.bad == nil {
		e.bad = err
	}
	return e
}

// route finds the budget and the lane of a request.
func (e *engine) route(req *http.Request) (*route, error) {
	last := e.last.Load()
	if last != nil && last.host == req.URL.Host && last.scheme == req.URL.Scheme && !last.route.gone() {
		return last.route, nil
	}
	r, err := e.lookUp(req)
	if err == nil && e.byHostOnly() {
		e.last.Store(r.as(req.URL.Scheme, req.URL.Host))
	}
	return r, err
}

// as is the route as the last one. It is kept, for a program that calls several
// hosts in turn.
func (r *route) as(scheme, host string) *lastRoute {
	last := r.spelled.Load()
	if last == nil || last.host != host || last.scheme != scheme {
		last = &lastRoute{scheme: scheme, host: host, route: r}
		r.spelled.Store(last)
	}
	return last
}

// byHostOnly reports whether nothing but the host and the scheme of a URL says
// where its calls belong.
func (e *engine) byHostOnly() bool {
	table := e.limits.Load()
	return e.keyIsHost && (table == nil || table.mux == nil)
}

func (e *engine) lookUp(req *http.Request) (*route, error) {
	id := routeID{key: e.key(req)}
	if table := e.limits.Load(); table != nil {
		id.pattern = table.match(req)
	}
	if r, ok := e.routes.Load(id); ok && !r.(*route).gone() {
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
	if r, ok := e.routes.Load(id); ok && r.(*route).lane == lane {
		return r.(*route), nil
	}
	r := &route{key: id.key, pattern: id.pattern, lane: lane, paths: pathTable{all: &e.pathNodes}}
	if old, ok := e.routes.Swap(id, r); ok {
		old.(*route).paths.close()
	}
	return r, nil
}

// dropRoutes forgets the routes of a budget that is let go.
func (e *engine) dropRoutes(b *throttle.Budget) {
	for _, pattern := range b.Lanes() {
		if r, ok := e.routes.LoadAndDelete(routeID{b.Key(), pattern}); ok {
			r.(*route).paths.close()
		}
	}
}

// gone reports whether the budget was let go, so that the key has another now.
func (r *route) gone() bool { return r.lane.Budget().Gone() }

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
	defer e.last.Store(nil) // after the change, so that none of before it stays
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

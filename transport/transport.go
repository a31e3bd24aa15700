package transport

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport/record"
)

// A Transport is an [http.RoundTripper] that sends each request when the server
// will take it. It reads the rate and burst that a server publishes in its
// answers, keeps a schedule for each host, and waits for its turn in it. When a
// server refuses a call all the same, everybody who calls it is held back, once,
// for as long as it asked, and the call is sent again.
//
// A response is always returned as a response, the last 429 included. An error
// of package throttle means that the call was not sent: a [throttle.WaitError]
// that it would have had to wait too long, a [throttle.NeverError] that no wait
// would help. A [ConfigError] means that a field here makes no sense.
//
// The zero Transport is ready to use, and limits nothing that the server does
// not limit. Set the fields before first use, and do not change them after; it
// is then safe for use by several goroutines. It runs nothing in the background
// and need not be closed.
//
// What net/http sends again by itself, a call that it lost on an idle connection
// that was closed just then, is not seen here: it is not paced, nor counted.
type Transport struct {
	// Base makes the actual requests. Nil means [http.DefaultTransport].
	Base http.RoundTripper

	// Limits are limits set by hand. They are ceilings: what the server
	// publishes holds as well, whichever is stricter. Nil means none. Use
	// SetLimits to change them later.
	Limits Limits

	// Key names the budget that a request draws on: what a server counts
	// together. Keys are held in memory, and appear in errors and events, so
	// they must not hold a secret. Nil means [KeyByHost]. See
	// [KeyByHostAndHeader] for several credentials on one host.
	Key func(*http.Request) string

	// MaxWait bounds the waits of one call, those before retries included. A
	// call that would have to wait longer is refused at once. It may be used
	// up to the full. Zero means a minute; negative means no bound. The
	// deadline of the request's context holds as well.
	MaxWait time.Duration

	// MaxAttempts is how often one call may be sent. Zero means 4; 1 means
	// never again. Refusals are sent again for any method whose body can be
	// had again, by http.Request.GetBody: no body is held in memory. Answers of
	// 500 and above and broken connections are, if the method is idempotent or
	// there is an Idempotency-Key.
	MaxAttempts int

	// RetryBudget bounds what is sent again after faults, that is answers of 500
	// and above and broken connections, to this share of the calls, and ten more.
	// Refusals do not count: they are paced. Zero means 0.2; negative means no
	// bound.
	RetryBudget float64

	// Spread is how much of a quota, of which a server publishes what is left and
	// when it is reset, is spread evenly over the time until then. What is left
	// beyond that share goes at once. 1 is all of it; zero means a half; negative
	// means none, for batches that are to end early and are alone on their quota.
	Spread float64

	// MaxConcurrent caps the calls under way on one budget, from just before
	// they are sent to the end of the response's body: a body that is never
	// closed holds its place for ever. Zero means no cap.
	MaxConcurrent int

	// MaxQueue bounds how many calls may wait on one budget. Zero means
	// 100,000.
	MaxQueue int

	// MaxKeys is how many budgets are held in memory. When there are more, those
	// that are idle and full go first; one that anybody waits for, or that would
	// hold a call back, never does. Zero means 100,000.
	MaxKeys int

	// Backoff is how long to wait after an answer that does not say so. The
	// zero Policy has sensible defaults; its MaxAttempts and MaxElapsed are
	// not used here.
	Backoff backoff.Policy

	// Throttled reports whether an answer is a refusal: the server did not act
	// on the call, because of a limit. It must not read the body. Nil means
	// a status of 429, of 503 with Retry-After, or of 403 with Retry-After or
	// with a limit of which nothing is left.
	Throttled func(*http.Response) bool

	// Overrides says how to read the answers of hosts whose header fields leave
	// something out: by host, in lower case and without a port. Nil means none.
	Overrides map[string]headers.Overrides

	// Store is where the slots of the budgets come from, if they are shared: with
	// other processes by package throttle/redisstore, with other Transports by
	// [throttle.Memory]. The limits, set by hand or published, and the cool-downs
	// are those of all who have the same store and the same keys. Nil means that
	// this Transport has its budgets for itself.
	Store throttle.Store

	// Observe is told what happens to a call: see [Event]. It is called on the
	// goroutine of the call, and holds it up. Nil means nobody.
	Observe func(context.Context, Event)

	// Record is given a line for each attempt of a call, and for each that is
	// refused here: see package record. It does not hold the call up. The
	// pattern in Limits that a call matches is its class. Nil means no recording.
	Record *record.File

	// Shadow lets every call go at once, once, as Base would send it, and only
	// tells Observe and Record how long it would have waited, or why it would have
	// been refused. The waits are what they would be if the calls came when they
	// do: each takes its slot in the schedule, as if it waited for it. A wait for
	// another call to end is told, but not how long it is. Whether the server
	// would have refused a call that had waited, nobody can know: of the answer to
	// one that goes before its slot only the limits count that it publishes, and
	// what is not sent again is not counted. See [throttle.Lane.Shadow].
	Shadow bool

	once  sync.Once
	ready atomic.Pointer[engine]
}

// What the zero values of a [Transport] mean.
const (
	DefaultMaxWait     = time.Minute
	DefaultMaxAttempts = 4
)

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	e := t.engine()
	call, limited, err := throttle.FromContext(req.Context())
	if err == nil {
		err = e.bad
	}
	if err == nil && (!limited || req.URL == nil) {
		return e.base.RoundTrip(req)
	}
	var r *route
	if err == nil {
		r, err = e.route(req)
	}
	switch {
	case err != nil && e.shadow:
		e.refusedHere(&attempt{req: req, route: &route{}, n: 1}, err)
		return e.base.RoundTrip(req)
	case err != nil:
		closeBody(req)
		return nil, err
	}
	call.MaxWait = e.maxWait
	a := attempt{req: req, route: r, n: 1, cost: call.Cost}
	if e.loops != nil {
		defer e.loops.leave(e.enterLoop(&a))
	}
	if e.shadow {
		return e.shadowed(&a, call)
	}
	return e.paced(&a, call)
}

// paced makes a call that waits for its slot.
func (e *engine) paced(a *attempt, call throttle.Call) (*http.Response, error) {
	var err error
	if a.ticket, err = a.route.acquire(a.req.Context(), a.req, call); err != nil {
		closeBody(a.req)
		e.refusedHere(a, err)
		return nil, err
	}
	e.faults.earn()
	e.waited(a)
	resp, refused, err := e.send(a)
	if err == nil && !refused && resp.StatusCode < 500 {
		return resp, nil
	}
	first := result{resp, err, refused}
	if !e.retryable(a.req, 1, first) {
		e.gaveUp(a, first)
		return resp, err
	}
	return e.resume(a.req, a.route, call, first, a.ticket.Waited())
}

// shadowed makes a call that goes at once, and tells what it would have had to
// wait for.
func (e *engine) shadowed(a *attempt, call throttle.Call) (*http.Response, error) {
	var forecast throttle.Forecast
	a.ticket, forecast = a.route.laneFor(a.req).Shadow(a.req.Context(), call)
	if a.would = forecast.Err; a.would != nil {
		e.refusedHere(a, a.would)
	} else {
		e.waited(a)
	}
	resp, _, err := e.send(a)
	return resp, err
}

// CloseIdleConnections lets [http.Client.CloseIdleConnections] reach Base.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.engine().base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // the call is refused; there is no use for a second error
	}
}

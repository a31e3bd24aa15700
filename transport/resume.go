package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/headway-go/headway/throttle"
)

// A resumption is a call whose first attempt came to nothing. From here on
// go-retryablehttp leads: it is handed the result of that attempt as if it had
// made it. (Were it to make it, it would read the body into memory, and change
// the caller's request.) It asks decide after each attempt, where all waiting
// is done, in the schedule.
type resumption struct {
	engine *engine
	req    *http.Request // the caller's
	route  *route
	call   throttle.Call
	end    time.Time // of all waits; zero if they have none
	last   result
	made   int           // attempts so far
	replay bool          // the next attempt is the one that was made already
	fault  time.Duration // the wait after a fault, drawn once an attempt
	ticket ticket        // of the next attempt
	held   bool          // the ticket was given, and its attempt not made yet
}

type resumptionKey struct{}

func resumptionOf(ctx context.Context) *resumption {
	return ctx.Value(resumptionKey{}).(*resumption)
}

func (e *engine) resume(req *http.Request, r *route, call throttle.Call, first result, waited time.Duration) (*http.Response, error) {
	p := &resumption{engine: e, req: req, route: r, call: call, last: first, made: 1, replay: true}
	if call.MaxWait > 0 {
		p.end = time.Now().Add(call.MaxWait - waited)
	}
	p.call.Again = true
	again := req.WithContext(context.WithValue(req.Context(), resumptionKey{}, p))
	again.RequestURI = "" // a proxied request has one, and http.Client will not have it
	if again.Body != nil {
		again.Body = http.NoBody // the first attempt has used up the real one
	}
	_, err := e.retries.Do(&retryablehttp.Request{Request: again}) // shows a copy
	if p.held {                                                    // ctx ended between the permission and the attempt
		p.drop()
		err = withCause(req.Context(), err)
	}
	a := p.attempt(p.made)
	e.gaveUp(&a, p.last)
	if err != nil {
		if p.made > 1 && broken(err) {
			err = lastError{err}
		}
		return nil, err
	}
	resp := p.last.resp
	resp.Request = req
	if p.made > 1 && (p.last.refused || resp.StatusCode >= 500) {
		resp.Body = lastBody{resp.Body}
	}
	return resp, nil
}

// withCause is the error of a context that is done, with the cause of it.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// drop gives a ticket back whose attempt will not be made.
func (p *resumption) drop() {
	p.held = false
	p.ticket.Answered(nil)
	p.ticket.Done()
}

// newRetries makes the client that leads through the later attempts. All that
// it would do by itself is taken from it.
func (e *engine) newRetries() *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     attempts{},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax: 1 << 30, // decide counts
		CheckRetry: func(ctx context.Context, resp *http.Response, err error) (bool, error) {
			return resumptionOf(ctx).decide(ctx)
		},
		Backoff: func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return 0 },
		PrepareRetry: func(again *http.Request) error {
			return resumptionOf(again.Context()).rewind(again)
		},
		ErrorHandler: onlyOne,
	}
}

// attempts makes the later attempts. It has no CloseIdleConnections, so that
// one call that gives up does not close everybody's connections.
type attempts struct{}

func (attempts) RoundTrip(req *http.Request) (*http.Response, error) {
	p := resumptionOf(req.Context())
	if p.replay {
		p.replay = false
	} else {
		p.held = false
		req.Header = p.req.Header // http.Client may have added the URL's user
		a := p.attempt(p.made)
		a.req = req
		resp, refused, err := p.engine.send(&a)
		p.last = result{resp, err, refused}
	}
	return plain(p.last.resp), p.last.err
}

// plain is a copy of the response that is no redirect: the inner http.Client
// would read its Location, and lose the response if it cannot.
func plain(resp *http.Response) *http.Response {
	if resp == nil {
		return nil
	}
	shown := *resp
	if resp.StatusCode/100 == 3 {
		shown.StatusCode = http.StatusOK
	}
	return &shown
}

// decide says whether to go on, and returns once the next attempt may go. An
// error ends the call in place of the last answer.
func (p *resumption) decide(ctx context.Context) (bool, error) {
	if !p.engine.retryable(p.req, p.made, p.last) || !p.fits(ctx) {
		return false, nil
	}
	if !p.last.refused && !p.engine.faults.spend() {
		return false, nil
	}
	p.tellRetry()
	kept := p.release()
	p.pause(ctx)
	var err error
	if p.ticket, err = p.route.acquire(ctx, p.req, p.call); err != nil {
		a := p.attempt(p.made + 1)
		p.engine.refusedHere(&a, err)
		if kept && ctx.Err() == nil {
			return false, nil // the answer tells more than that we will not go on
		}
		return false, err
	}
	p.made++
	p.held = true
	a := p.attempt(p.made)
	p.engine.waited(&a)
	return true, nil
}

// attempt is the n-th attempt of the call.
func (p *resumption) attempt(n int) attempt {
	return attempt{req: p.req, route: p.route, n: n, cost: p.call.Cost, ticket: p.ticket}
}

// fits reports whether the wait for the next attempt is one that the call may
// have. If it is not, the last answer goes back at once, untouched.
func (p *resumption) fits(ctx context.Context) bool {
	delay := p.delay()
	left, ok := p.left()
	if ok && (left < delay || left < 0) {
		return false
	}
	if d, has := ctx.Deadline(); has && time.Until(d) <= delay {
		return false
	}
	if ok {
		p.call.MaxWait = max(1, left)
	}
	return p.route.laneFor(p.req).Check(ctx, p.call) == nil
}

// left is how much of the waits is left, if they have an end.
func (p *resumption) left() (time.Duration, bool) {
	if p.end.IsZero() {
		return 0, false
	}
	return time.Until(p.end), true
}

// delay is how long this call waits by itself, after a fault. After a refusal
// all calls of the budget are held back, and this one with them.
func (p *resumption) delay() time.Duration {
	if p.last.refused {
		return 0
	}
	if p.fault == 0 {
		p.fault = p.engine.backoff.Delay(p.made-1, 0)
	}
	return p.fault
}

// pause is the wait of delay. It ends early if ctx does.
func (p *resumption) pause(ctx context.Context) {
	d := p.delay()
	p.fault = 0
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	if left, ok := p.left(); ok {
		p.call.MaxWait = max(1, left)
	}
}

// release lets go of the connection and the permit of the last answer before
// the wait. It reports whether the answer can still be returned.
func (p *resumption) release() bool {
	if p.last.resp == nil {
		return true // an error can
	}
	return keep(p.last.resp)
}

// rewind gives the next attempt a body of its own.
func (p *resumption) rewind(again *http.Request) error {
	if p.req.Body == nil || p.req.Body == http.NoBody {
		return nil
	}
	body, err := p.req.GetBody()
	if err != nil {
		p.drop()
		return fmt.Errorf("transport: no body for another attempt: %w", err)
	}
	again.Body = body
	return nil
}

func (p *resumption) tellRetry() {
	if p.engine.observe == nil {
		return
	}
	a := p.attempt(p.made + 1)
	ev := p.last.event(EventRetry)
	ev.Wait = p.delay()
	p.engine.tell(&a, ev)
}

// onlyOne returns a response or an error, never both. The error is that of
// Base, without what the inner http.Client put around it.
func onlyOne(resp *http.Response, err error, _ int) (*http.Response, error) {
	if err == nil {
		return resp, nil
	}
	if resp != nil {
		_ = resp.Body.Close()
	}
	if ue, ok := errors.AsType[*url.Error](err); ok {
		return nil, ue.Err
	}
	return nil, err
}

// bare is the error without its URLs, which may hold a secret.
func bare(err error) error {
	for {
		ue, ok := errors.AsType[*url.Error](err)
		if !ok {
			return err
		}
		err = ue.Err
	}
}

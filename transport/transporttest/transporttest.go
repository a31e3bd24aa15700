// Package transporttest checks that an [http.RoundTripper] keeps its contract.
//
// Whoever wraps a RoundTripper, to limit, to retry, to sign, to trace, promises
// what net/http's documentation asks of one, and what http.Client and other
// wrappers count on without saying so. [Run] calls the wrapper in many ways,
// over a base of its own that needs no network, and reports each promise that
// is broken. It knows nothing of what the wrapper is for.
package transporttest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// Run checks the RoundTrippers that wrap returns, with a subtest for each part
// of the contract:
//
//   - the request is not changed, not for a moment, nor when it is sent again
//   - what reaches the base is the request: method, URL, header, body, context
//   - every body of a request is closed, sent or not, and those of GetBody too
//   - there is a response or an error, never both, never neither, and an error
//     of the base can be found in what is returned by errors.Is
//   - the body of a response is passed on as it comes, whole, can be closed
//     twice, and is closed below once it is closed above, as are the bodies of
//     answers that the caller never sees
//   - the header of a response is the caller's, who may change it
//   - the body of a 101 is an io.Writer, and trailers arrive
//   - a redirect is returned, not followed
//   - a panic of the base passes through
//   - http.Client.CloseIdleConnections reaches the base, and no call does
//   - calls at the same time do not mix, also with one request without a body
//   - a call whose context ends, before it, while the base or the wrapper
//     waits, or while the body is read, ends at once. Its error is found by
//     errors.Is both as context.Canceled and as the cause
//   - no goroutine is left, other than those that were there after a first call
//
// Run tests with "go test -race" in mind: some mistakes only the race detector
// can see.
//
// wrap is called often, and returns a new RoundTripper each time that sends its
// requests to base and nowhere else. It may be one that sends a request again:
// the base answers with 429 and 503 at times, and with broken connections. A
// RoundTripper that waits between attempts is to be set up to wait no more than
// some milliseconds, and one that limits, so that hundreds of calls to one host
// take no time; nothing here checks for how long it waits. All URLs begin with
// http://api.example.com/.
//
// A call that has not come back after ten seconds hangs, and is left behind.
func Run(t *testing.T, wrap func(base http.RoundTripper) http.RoundTripper) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			c.run(&checker{report: t, wrap: wrap, patience: 10 * time.Second})
		})
	}
}

// A check is one part of the contract.
type check struct {
	name string
	run  func(*checker)
}

var checks = []check{
	{"RequestUnchanged", requestUnchanged},
	{"RequestArrives", requestArrives},
	{"RequestBodyClosed", requestBodyClosed},
	{"ResponseOrError", responseOrError},
	{"ResponseBody", responseBody},
	{"ResponseStreams", responseStreams},
	{"ResponseHeader", responseHeader},
	{"SwitchedProtocols", switchedProtocols},
	{"Trailers", trailers},
	{"Redirects", redirects},
	{"Panic", panics},
	{"CloseIdleConnections", closeIdleConnections},
	{"ConcurrentCalls", concurrentCalls},
	{"SharedRequest", sharedRequest},
	{"CanceledBefore", canceledBefore},
	{"CanceledInBase", canceledInBase},
	{"CanceledBetweenAttempts", canceledBetweenAttempts},
	{"CanceledInBody", canceledInBody},
	{"NoGoroutineLeft", noGoroutineLeft},
}

// A reporter is what a check needs of a *testing.T.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// A checker runs one check.
type checker struct {
	report   reporter
	wrap     func(http.RoundTripper) http.RoundTripper
	patience time.Duration // for what must come; it is not used up where it comes

	tried atomic.Bool // something did not come
}

func (c *checker) errorf(format string, args ...any) {
	c.report.Helper()
	c.report.Errorf(format, args...)
}

// An outcome is what came of one call.
type outcome struct {
	resp     *http.Response
	err      error
	panicked any
	hung     bool
}

func (o outcome) String() string {
	switch {
	case o.hung:
		return "no return"
	case o.panicked != nil:
		return fmt.Sprintf("panic: %v", o.panicked)
	case o.resp == nil:
		return fmt.Sprintf("no response, error %v", o.err)
	}
	return fmt.Sprintf("response with status %d, error %v", o.resp.StatusCode, o.err)
}

// start makes a call in a goroutine of its own.
func start(rt http.RoundTripper, req *http.Request) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.resp, o.err = rt.RoundTrip(req) //nolint:bodyclose // whoever gets the outcome closes it
	}()
	return done
}

// out is sent to when patience is at its end. That of a check in which something
// did not come is short: what is broken is often broken on every way, and each
// would take as long.
func (c *checker) out() <-chan time.Time {
	patience := c.patience
	if c.tried.Load() {
		patience /= 20
	}
	return time.After(patience)
}

// wait returns what came of a call.
func (c *checker) wait(done <-chan outcome) outcome {
	select {
	case o := <-done:
		return o
	case <-c.out():
		c.tried.Store(true)
		return outcome{hung: true}
	}
}

// call makes a call that must not hang nor panic, and must return a response or
// an error.
func (c *checker) call(what string, rt http.RoundTripper, req *http.Request) outcome {
	c.report.Helper()
	o := c.wait(start(rt, req))
	c.sane(what, o)
	return o
}

// sane reports whether there is a response or an error.
func (c *checker) sane(what string, o outcome) bool {
	c.report.Helper()
	switch {
	case o.hung:
		c.errorf("%s: RoundTrip did not return", what)
	case o.panicked != nil:
		c.errorf("%s: RoundTrip panicked: %v", what, o.panicked)
	case (o.resp == nil) == (o.err == nil):
		c.errorf("%s: RoundTrip returned %v; want either a response or an error", what, o)
	case o.resp != nil && o.resp.Body == nil:
		c.errorf("%s: RoundTrip returned a response without a Body", what)
	default:
		return true
	}
	return false
}

// in reports whether f ends in time. What f reads is left behind otherwise.
func (c *checker) in(f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return true
	case <-c.out():
		c.tried.Store(true)
		return false
	}
}

var errHangs = errors.New("transporttest: reading the body does not end")

// readAll reads a body to its end, which is to come in time.
func (c *checker) readAll(body io.Reader) ([]byte, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data, err := io.ReadAll(body)
		done <- read{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-c.out():
		c.tried.Store(true)
		return nil, errHangs
	}
}

// eventually reports whether ok comes true: the contract lets some things
// happen shortly after RoundTrip has returned.
func (c *checker) eventually(ok func() bool) bool {
	for out := c.out(); !ok(); {
		select {
		case <-out:
			c.tried.Store(true)
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return true
}

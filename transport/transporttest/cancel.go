package transporttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// wantGone checks the error of a call whose context ended.
func (c *checker) wantGone(what string, err error) {
	c.report.Helper()
	switch {
	case !errors.Is(err, context.Canceled):
		c.errorf("%s: error %v does not wrap context.Canceled", what, err)
	case !errors.Is(err, errGone):
		c.errorf("%s: error %v does not wrap the cause of the cancellation", what, err)
	}
}

// canceledBefore: the call may reach the base, which refuses it.
func canceledBefore(c *checker) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errGone)
	for _, req := range []*http.Request{get(ctx, "before"), (&sender{}).put(ctx)} {
		o := c.call("canceled before", c.wrap(&base{script: []answer{{status: 200}}}), req)
		finish(o)
		if o.resp != nil {
			c.errorf("canceled before: got a response")
		} else if o.err != nil {
			c.wantGone("canceled before", o.err)
		}
	}
	past, cancelPast := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancelPast()
	o := c.call("past its deadline", c.wrap(&base{script: []answer{{status: 200}}}), get(past, "past"))
	finish(o)
	if o.resp != nil || !errors.Is(o.err, context.DeadlineExceeded) {
		c.errorf("past its deadline: %v; want context.DeadlineExceeded", o)
	}
}

// canceledInBase: the base waits for an answer, at the first attempt or a later
// one.
func canceledInBase(c *checker) {
	for name, script := range map[string][]answer{
		"canceled while the base waits":           {{hang: true}},
		"canceled while the base waits once more": {refusal("0"), {hang: true}},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		b := &base{script: script, asked: make(chan struct{}, 1)}
		done := start(c.wrap(b), get(ctx, "wait"))
		var o outcome
		select {
		case <-b.asked:
			cancel(errGone)
			o = c.wait(done)
		case o = <-done: // it does not send again
		case <-c.out():
			o.hung = true
		}
		if c.sane(name, o) && o.err != nil {
			c.wantGone(name, o.err)
		}
		if o.resp != nil && len(script) == len(b.requests()) {
			c.errorf("%s: got a response", name)
		}
		finish(o)
		cancel(nil)
	}
}

// canceledBetweenAttempts: the base says to come back in an hour. A wrapper may
// return that, or wait; but not for longer than the caller does.
func canceledBetweenAttempts(c *checker) {
	const name = "canceled in the wait for another attempt"
	for range 10 { // the cancellation finds it at different places
		ctx, cancel := context.WithCancelCause(context.Background())
		first := make(chan struct{}, 100)
		b := &base{script: []answer{refusal("3600")}, look: func(*http.Request) { first <- struct{}{} }}
		s := &sender{}
		done := start(c.wrap(b), s.put(ctx))
		select {
		case <-first:
		case <-c.out():
		}
		time.AfterFunc(time.Millisecond, func() { cancel(errGone) })
		o := c.wait(done)
		if c.sane(name, o) && o.err != nil {
			c.wantGone(name, o.err)
		}
		finish(o)
		c.wantClosed(name, s)
		if !c.eventually(func() bool { return b.open() == 0 }) {
			c.errorf("%s: the body of the answer is open", name)
		}
		cancel(nil)
		if o.hung {
			return
		}
	}
	c.canceledInDrain()
}

// canceledInDrain: the context ends as the answer is read, or closed, that the
// wrapper will not return.
func (c *checker) canceledInDrain() {
	const name = "canceled as an answer is passed over"
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	again := refusal("0")
	again.body = &leaving{func() { cancel(errGone) }}
	b := &base{script: []answer{again, {status: 200}}}
	s := &sender{}
	o := c.call(name, c.wrap(b), s.put(ctx))
	if o.err != nil {
		c.wantGone(name, o.err)
	}
	if o.resp != nil && o.resp.StatusCode == http.StatusOK {
		c.errorf("%s: got the response to another attempt", name)
	}
	finish(o)
	c.wantClosed(name, s)
	if !c.eventually(func() bool { return b.open() == 0 }) {
		c.errorf("%s: the body of the answer is open", name)
	}
}

// A leaving body is one whose reader's caller goes away.
type leaving struct{ leave func() }

func (l *leaving) Read([]byte) (int, error) {
	l.leave()
	return 0, io.EOF
}

// canceledInBody: the response is there, and its body is not.
func canceledInBody(c *checker) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	rest := &untilDone{ctx}
	b := &base{script: []answer{{status: 200, body: io.MultiReader(strings.NewReader("begin"), rest)}}}
	o := c.wait(start(c.wrap(b), get(ctx, "body")))
	if o.hung { // ResponseStreams tells
		return
	}
	if !c.sane("body", o) || o.resp == nil {
		return
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(o.resp.Body, got); err != nil {
		c.errorf("the body cannot be read once RoundTrip has returned: %v", err)
	}
	time.AfterFunc(time.Millisecond, func() { cancel(errGone) })
	_, err := c.readAll(o.resp.Body)
	c.wantGone("canceled while the body is read", err)
	c.closeTwice("canceled while the body is read", o.resp.Body)
}

// An untilDone is what a connection is to read from on which nothing comes.
type untilDone struct{ ctx context.Context }

func (r *untilDone) Read([]byte) (int, error) {
	<-r.ctx.Done()
	return 0, ended(r.ctx)
}

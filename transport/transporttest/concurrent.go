package transporttest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
)

const (
	callers = 16
	calls   = 8
)

// concurrentCalls checks that each of many callers gets the answer to its own
// request. It changes what it got, and puts the request to use again, so that
// the race detector sees whoever still looks at them.
func concurrentCalls(c *checker) {
	b := &base{script: []answer{
		{status: 200}, refusal("0"), {status: 200}, {err: errBase}, {status: 503}, {err: io.EOF}, {status: 404}, {status: 200},
	}}
	rt := c.wrap(b)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for n := range calls {
				path := fmt.Sprintf("caller/%d/%d", i, n)
				req := (&sender{}).put(context.Background())
				req.URL.Path = "/" + path
				c.own(rt, req)
			}
		})
	}
	wg.Wait()
	if !c.eventually(func() bool { return b.open() == 0 }) {
		c.errorf("%d of %d bodies of the base are open", b.open(), len(b.requests()))
	}
}

// own makes a call, and checks that the answer is its own.
func (c *checker) own(rt http.RoundTripper, req *http.Request) {
	o := c.call("at the same time", rt, req)
	if o.resp == nil || o.resp.Body == nil {
		return
	}
	path := req.URL.Path
	data, err := c.readAll(o.resp.Body)
	_ = o.resp.Body.Close()
	if got := o.resp.Header.Get("X-Path"); err != nil || got != path || string(data) != path {
		c.errorf("asked for %s, got the answer to %s with body %q, error %v", path, got, data, err)
	}
	if o.resp.Header != nil {
		o.resp.Header.Set("X-Path", "changed")
	}
}

// sharedRequest checks that one request without a body can be used by several
// at once. A wrapper must not change it, so that nothing stands against it.
func sharedRequest(c *checker) {
	rt := c.wrap(&base{script: []answer{{status: 200}, refusal("0"), {status: 200}}})
	req := get(context.Background(), "shared")
	req.Header.Set("X-One", "1")
	before := snapshot(req)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range calls {
				c.own(rt, req)
			}
		})
	}
	wg.Wait()
	if changed := before.changed(req); changed != "" {
		c.errorf("shared by several: %s", changed)
	}
}

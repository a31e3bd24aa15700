package transporttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// responseOrError checks what is returned on each way that a call may go. An
// error that the base ended with is to be found in it.
func responseOrError(c *checker) {
	for name, script := range scripts() {
		b := &base{script: script}
		o := c.call(name, c.wrap(b), (&sender{}).put(context.Background()))
		finish(o)
		last := script[min(max(1, len(b.requests())), len(script))-1]
		switch {
		case last.err != nil && !errors.Is(o.err, last.err) && o.resp == nil:
			c.errorf("%s: error %v does not wrap that of the base, %v", name, o.err, last.err)
		case last.err == nil && o.resp != nil && o.resp.StatusCode != last.status:
			c.errorf("%s: status %d, want %d", name, o.resp.StatusCode, last.status)
		case last.err == nil && o.err != nil:
			c.errorf("%s: error %v in place of the response with status %d", name, o.err, last.status)
		}
	}
}

// responseBody checks that bodies are whole, and are closed below.
func responseBody(c *checker) {
	long := strings.Repeat("0123456789abcdef", 16<<10)
	for name, script := range map[string][]answer{
		"short":           {{status: 200, body: strings.NewReader("short")}},
		"long":            {{status: 200, body: strings.NewReader(long)}},
		"empty":           {{status: 204, body: strings.NewReader("")}},
		"a refusal":       {{status: 403, body: strings.NewReader("forbidden")}},
		"after a refusal": {refusal("0"), {status: 200, body: strings.NewReader(long)}},
	} {
		b := &base{script: script}
		o := c.call(name, c.wrap(b), get(context.Background(), "b"))
		if o.resp == nil || o.resp.Body == nil {
			continue
		}
		c.wantBody(name, o.resp)
		c.closeTwice(name, o.resp.Body)
		if !c.eventually(func() bool { return b.open() == 0 }) {
			c.errorf("%s: closed, and %d bodies of the base are open", name, b.open())
		}
	}
	lastRefusal(c)
	cutBody(c)
	unreadBody(c)
}

// wantBody checks that the body is what the base sent with this status: the
// path, or one that responseBody knows the length of.
func (c *checker) wantBody(name string, resp *http.Response) {
	c.report.Helper()
	data, err := c.readAll(resp.Body)
	want := map[string]int{"short": 5, "long": 256 << 10, "a refusal": 9, "after a refusal": 256 << 10}[name]
	if resp.StatusCode == http.StatusTooManyRequests {
		want = len("/b") // it was not sent again
	}
	if err != nil || len(data) != want {
		c.errorf("%s: read %d bytes of the body, error %v; want %d", name, len(data), err, want)
	}
}

func (c *checker) closeTwice(name string, body io.Closer) {
	c.report.Helper()
	defer func() {
		if r := recover(); r != nil {
			c.errorf("%s: closing the body panicked: %v", name, r)
		}
	}()
	if err := body.Close(); err != nil {
		c.errorf("%s: closing the body: %v", name, err)
	}
	_ = body.Close() // it may say that it was closed before
}

// lastRefusal checks the answer that a wrapper which sends again gives up with.
func lastRefusal(c *checker) {
	for _, status := range []int{429, 500, 503} {
		b := &base{script: []answer{{status: status}}}
		o := c.call("refused always", c.wrap(b), get(context.Background(), "refused"))
		if o.resp == nil || o.resp.Body == nil {
			continue
		}
		data, _ := c.readAll(o.resp.Body)
		if o.resp.StatusCode != status || string(data) != "/refused" {
			c.errorf("refused always: got status %d with body %q, want %d with %q", o.resp.StatusCode, data, status, "/refused")
		}
		_ = o.resp.Body.Close()
		if !c.eventually(func() bool { return b.open() == 0 }) {
			c.errorf("refused always: %d of %d bodies of the base are open", b.open(), len(b.requests()))
		}
	}
}

// cutBody checks that a body that breaks off does not look like one that ends.
func cutBody(c *checker) {
	cut := io.MultiReader(strings.NewReader("begin"), failing{errBase})
	o := c.call("cut", c.wrap(&base{script: []answer{{status: 200, body: cut}}}), get(context.Background(), "cut"))
	if o.resp == nil || o.resp.Body == nil {
		return
	}
	data, err := c.readAll(o.resp.Body)
	if string(data) != "begin" || !errors.Is(err, errBase) {
		c.errorf("cut: read %q, error %v; want what there was and the error of the base", data, err)
	}
	_ = o.resp.Body.Close()
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// unreadBody checks that a body closed unread is closed below.
func unreadBody(c *checker) {
	b := &base{script: []answer{{status: 200}}}
	o := c.call("unread", c.wrap(b), get(context.Background(), "unread"))
	if o.resp == nil || o.resp.Body == nil {
		return
	}
	c.closeTwice("unread", o.resp.Body)
	if !c.eventually(func() bool { return b.open() == 0 }) {
		c.errorf("unread: closed, and the body of the base is open")
	}
}

// responseStreams checks that a response is there before its body is, and each
// part of the body before the next.
func responseStreams(c *checker) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	rt := c.wrap(&base{script: []answer{{status: 200, body: r}}})
	o := c.wait(start(rt, get(context.Background(), "stream")))
	if o.hung {
		c.errorf("RoundTrip did not return while the body was still to come")
		return
	}
	if !c.sane("stream", o) || o.resp == nil {
		return
	}
	defer o.resp.Body.Close()
	for _, part := range []string{"one", "two"} {
		go io.WriteString(w, part)
		got := make([]byte, len(part))
		if !c.in(func() { _, _ = io.ReadFull(o.resp.Body, got) }) {
			c.errorf("%q was sent, and does not arrive before what comes after it", part)
			return
		}
		if string(got) != part {
			c.errorf("read %q, want %q", got, part)
		}
	}
}

// responseHeader checks that a caller may do with a header what it likes.
func responseHeader(c *checker) {
	rt := c.wrap(&base{script: []answer{{status: 200, header: http.Header{"X-Kept": {"kept"}}}}})
	var before http.Header
	for range 3 {
		o := c.call("header", rt, get(context.Background(), "h"))
		if o.resp == nil || o.resp.Body == nil {
			return
		}
		h := o.resp.Header
		if h.Get("X-Kept") != "kept" || h.Get("X-Path") != "/h" {
			c.errorf("the header is %v: not as the base sent it", h)
		}
		if h == nil {
			return
		}
		h["X-Kept"][0] = "changed"
		h.Set("X-Path", "changed")
		finish(o)
		if before != nil && before.Get("X-Kept") != "changed" {
			c.errorf("a call changed the header of the answer before it")
		}
		before = h
	}
}

// switchedProtocols checks that the body of a 101 can still be written to.
func switchedProtocols(c *checker) {
	r, w := io.Pipe() // an echo
	conn := struct {
		io.Reader
		io.Writer
	}{r, w}
	b := &base{script: []answer{{status: http.StatusSwitchingProtocols, body: conn}}}
	o := c.call("101", c.wrap(b), get(context.Background(), "echo"))
	if o.resp == nil || o.resp.Body == nil {
		return
	}
	body, ok := o.resp.Body.(io.ReadWriteCloser)
	if !ok {
		c.errorf("the body of a 101 is a %T, which is no io.Writer", o.resp.Body)
		_ = o.resp.Body.Close()
		return
	}
	got := make([]byte, 5)
	if !c.in(func() {
		go io.WriteString(body, "hello")
		_, _ = io.ReadFull(body, got)
	}) || string(got) != "hello" {
		c.errorf("wrote hello to an echo, and read %q", got)
	}
	c.closeTwice("101", body)
	if !c.eventually(func() bool { return b.open() == 0 }) {
		c.errorf("101: closed, and the body of the base is open")
	}
}

// trailers checks that they are there after the body.
func trailers(c *checker) {
	body := &withTrailer{strings.NewReader("sum"), http.Header{"X-Sum": nil}}
	o := c.call("trailers", c.wrap(&base{script: []answer{{status: 200, body: body}}}), get(context.Background(), "t"))
	if o.resp == nil || o.resp.Body == nil {
		return
	}
	if _, ok := o.resp.Trailer["X-Sum"]; !ok {
		c.errorf("the trailer is not announced: %v", o.resp.Trailer)
	}
	finish(o)
	if got := o.resp.Trailer.Get("X-Sum"); got != "42" {
		c.errorf("the trailer is %q after the body, want 42", got)
	}
}

// redirects checks that they are left to http.Client, and to its CheckRedirect.
// A Location that makes no sense is no error here.
func redirects(c *checker) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, location := range []string{home + "elsewhere", "/elsewhere", "%zz:", ""} {
			there := answer{status: status, header: http.Header{"Location": {location}}}
			for _, script := range [][]answer{{there}, {refusal("0"), there}} {
				c.redirect(script, location)
			}
		}
	}
}

func (c *checker) redirect(script []answer, location string) {
	b := &base{script: script}
	o := c.call("redirect", c.wrap(b), get(context.Background(), "here"))
	finish(o)
	for _, s := range b.requests() {
		if s.req.URL.Path != "/here" {
			c.errorf("a redirect was followed to %s", s.req.URL.Path)
		}
	}
	last := script[min(len(b.requests()), len(script))-1]
	if o.resp != nil && (o.resp.StatusCode != last.status || last.status < 400 && o.resp.Header.Get("Location") != location) {
		c.errorf("got status %d and Location %q, want %d and %q", o.resp.StatusCode, o.resp.Header.Get("Location"), last.status, location)
	}
	if o.err != nil {
		c.errorf("a redirect to %q became the error %v", location, o.err)
	}
}

// closeIdleConnections checks that the owner can close idle connections, and
// that a call, whatever becomes of it, does not: they are everybody's.
func closeIdleConnections(c *checker) {
	for name, script := range scripts() {
		b := &base{script: script}
		client := &http.Client{Transport: c.wrap(b), Timeout: time.Hour}
		finish(c.call(name, client.Transport, (&sender{}).put(context.Background())))
		if b.idled() > 0 {
			c.errorf("%s: the call closed the idle connections of all", name)
		}
		was := b.idled()
		if client.CloseIdleConnections(); b.idled() == was {
			c.errorf("%s: http.Client.CloseIdleConnections does not reach the base", name)
		}
	}
}

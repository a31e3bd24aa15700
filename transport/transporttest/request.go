package transporttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
)

const payload = "the body of the request"

// scripts are the ways in which a call may go that has a body to send.
func scripts() map[string][]answer {
	return map[string][]answer{
		"answered":               {{status: 200}},
		"a 404":                  {{status: 404}},
		"base error":             {{err: errBase}},
		"error before reading":   {{err: errBase, unread: true}},
		"broken connection":      {{err: io.ErrUnexpectedEOF}, {status: 200}},
		"always broken":          {{err: io.ErrUnexpectedEOF}},
		"answered before read":   {{status: 200, unread: true}},
		"refused twice":          {refusal("0"), refusal("0"), {status: 200}},
		"always refused":         {refusal("0")},
		"refused, then an error": {refusal("0"), {err: errBase}},
		"unavailable once":       {{status: 503}, {status: 200}},
		"always unavailable":     {{status: 503}},
	}
}

func refusal(retryAfter string) answer {
	return answer{status: 429, header: http.Header{"Retry-After": {retryAfter}}}
}

// A sender has what it takes to make requests whose bodies are watched.
type sender struct {
	mu     sync.Mutex
	opened int
	closed int
}

// A sentBody counts as closed once, however often it is.
type sentBody struct {
	io.Reader
	of   *sender
	once sync.Once
}

func (s *sender) body() io.ReadCloser {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return &sentBody{Reader: strings.NewReader(payload), of: s}
}

func (b *sentBody) Close() error {
	b.once.Do(func() {
		b.of.mu.Lock()
		defer b.of.mu.Unlock()
		b.of.closed++
	})
	return nil
}

func (s *sender) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened - s.closed
}

// put makes a request in which every field that a client may set is set.
func (s *sender) put(ctx context.Context) *http.Request {
	req := get(ctx, "things/1?q=2#part")
	req.Method = http.MethodPut
	req.URL.User = url.UserPassword("user", "password")
	req.Header = http.Header{"X-One": {"1"}, "X-Two": {"a", "b"}, "Authorization": {"Bearer token"}, "Content-Type": {"text/plain"}}
	req.Host = "other.example.com"
	req.Body = s.body()
	req.GetBody = func() (io.ReadCloser, error) { return s.body(), nil }
	req.ContentLength = int64(len(payload))
	req.TransferEncoding = []string{"identity"}
	req.Trailer = http.Header{"X-Later": nil}
	req.Form = url.Values{"f": {"1"}}
	return req
}

func get(ctx context.Context, path string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, home+path, nil)
	if err != nil {
		panic(err) // the paths are ours
	}
	return req
}

type contextKey struct{}

// requestUnchanged compares the request as it is while the base has it, and
// after the call, with how it was before.
func requestUnchanged(c *checker) {
	for name, script := range scripts() {
		req := (&sender{}).put(context.Background())
		before := snapshot(req)
		b := &base{script: script, look: func(*http.Request) {
			if changed := before.changed(req); changed != "" {
				c.errorf("%s: while the base had the request, %s", name, changed)
			}
		}}
		o := c.call(name, c.wrap(b), req)
		finish(o)
		if changed := before.changed(req); changed != "" {
			c.errorf("%s: after the call, %s", name, changed)
		}
	}
}

// finish reads the body of the response, if there is one, and closes it.
func finish(o outcome) {
	if o.resp != nil && o.resp.Body != nil {
		_, _ = io.Copy(io.Discard, o.resp.Body)
		_ = o.resp.Body.Close()
	}
}

// A picture is a request as it was: its fields, copied as deep as they go.
type picture struct {
	fields map[string]any
	ctx    context.Context
}

func snapshot(req *http.Request) picture {
	p := picture{fields: map[string]any{}, ctx: req.Context()}
	v := reflect.ValueOf(req).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			p.fields[f.Name] = frozen(v.Field(i).Interface())
		}
	}
	return p
}

// frozen is a copy of a field. Of what cannot be copied, bodies and functions,
// it is the identity.
func frozen(field any) any {
	switch f := field.(type) {
	case *url.URL:
		if f == nil {
			return f
		}
		u := *f
		return fmt.Sprintf("%p %#v %v", f, u, f.User)
	case http.Header:
		return f.Clone()
	case url.Values:
		return url.Values(http.Header(f).Clone())
	case []string:
		return append([]string(nil), f...)
	}
	switch v := reflect.ValueOf(field); v.Kind() {
	case reflect.Func, reflect.Pointer, reflect.Chan:
		return v.Pointer()
	}
	return field
}

// changed says which fields are not what they were, or "".
func (p picture) changed(req *http.Request) string {
	now := snapshot(req)
	for name, was := range p.fields {
		if is := now.fields[name]; !reflect.DeepEqual(was, is) {
			return fmt.Sprintf("its %s was %v, not %v", name, is, was)
		}
	}
	if now.ctx != p.ctx {
		return "it had another context"
	}
	return ""
}

// requestArrives checks that each attempt is the request.
func requestArrives(c *checker) {
	for name, script := range scripts() {
		ctx := context.WithValue(context.Background(), contextKey{}, "value")
		req := (&sender{}).put(ctx)
		b := &base{script: script}
		finish(c.call(name, c.wrap(b), req))
		sent := b.requests()
		if len(sent) == 0 {
			c.errorf("%s: the request did not reach the base", name)
		}
		for i, s := range sent {
			unread := script[min(i, len(script)-1)].unread
			if problem := differs(s, req, unread); problem != "" {
				c.errorf("%s: attempt %d: %s", name, i+1, problem)
			}
		}
	}
}

// differs says in what a request that reached the base is not the one that was
// sent. Fields may have been added to its header.
func differs(got seen, want *http.Request, unread bool) string {
	switch {
	case got.req.Method != want.Method:
		return fmt.Sprintf("method %q, want %q", got.req.Method, want.Method)
	case got.req.URL.String() != want.URL.String():
		return fmt.Sprintf("another URL: %q", got.req.URL.Redacted())
	case got.req.Host != want.Host:
		return fmt.Sprintf("host %q, want %q", got.req.Host, want.Host)
	case got.req.ContentLength != want.ContentLength:
		return fmt.Sprintf("content length %d, want %d", got.req.ContentLength, want.ContentLength)
	case !unread && got.body != payload:
		return fmt.Sprintf("body %q, want %q", got.body, payload)
	case got.req.Context().Value(contextKey{}) == nil:
		return "the values of its context are lost"
	}
	for name, values := range want.Header {
		if !reflect.DeepEqual(got.req.Header[name], values) {
			return fmt.Sprintf("header field %s is %q, want %q", name, got.req.Header[name], values)
		}
	}
	return ""
}

// requestBodyClosed counts the bodies that are left open, on every way that a
// call may go.
func requestBodyClosed(c *checker) {
	ways := scripts()
	ways["panic"] = []answer{{panics: errBase}}
	ways["hangs until canceled"] = []answer{{hang: true}}
	for name, script := range ways {
		for _, getBody := range []bool{true, false} {
			ctx, cancel := context.WithCancelCause(context.Background())
			s := &sender{}
			req := s.put(ctx)
			if !getBody {
				req.GetBody = nil
			}
			b := &base{script: script, asked: make(chan struct{}, 100)}
			done := start(c.wrap(b), req)
			if script[0].hang {
				go func() {
					select {
					case <-b.asked:
						cancel(errGone)
					case <-ctx.Done():
					}
				}()
			}
			finish(c.wait(done))
			c.wantClosed(name, s)
			cancel(nil)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errGone)
	s := &sender{}
	finish(c.wait(start(c.wrap(&base{script: []answer{{status: 200}}}), s.put(ctx))))
	c.wantClosed("canceled before the call", s)
}

func (c *checker) wantClosed(name string, s *sender) {
	c.report.Helper()
	if !c.eventually(func() bool { return s.open() == 0 }) {
		c.errorf("%s: %d of %d request bodies were left open", name, s.open(), s.opened)
	}
}

// panics checks that a panic of the base passes through: it is not for others
// to make an error of it, and net/http's own, http.ErrAbortHandler, is a signal.
func panics(c *checker) {
	for _, value := range []error{errBase, http.ErrAbortHandler} {
		rt := c.wrap(&base{script: []answer{{panics: value}, {status: 200}}})
		o := c.wait(start(rt, get(context.Background(), "p")))
		if err, ok := o.panicked.(error); !ok || !errors.Is(err, value) {
			c.errorf("the base panicked with %v: %v; want that panic", value, o)
		}
		o = c.call("after a panic", rt, get(context.Background(), "p"))
		finish(o)
		if o.resp == nil || o.resp.StatusCode != 200 {
			c.errorf("after a panic: %v; want the answer", o)
		}
	}
}

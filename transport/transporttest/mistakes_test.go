package transporttest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

type wrapFunc func(*http.Request) (*http.Response, error)

func (f wrapFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// before is a wrapper that does something to the request first.
func before(do func(*http.Request) *http.Request) func(http.RoundTripper) http.RoundTripper {
	return func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) { return base.RoundTrip(do(req)) })
	}
}

// after is a wrapper that does something to the response.
func after(do func(*http.Response)) func(http.RoundTripper) http.RoundTripper {
	return func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			resp, err := base.RoundTrip(req)
			if err == nil {
				do(resp)
			}
			return resp, err
		})
	}
}

// failed is a wrapper that does something to the error.
func failed(do func(*http.Response, error) (*http.Response, error)) func(http.RoundTripper) http.RoundTripper {
	return func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			resp, err := base.RoundTrip(req)
			if err != nil {
				return do(resp, err)
			}
			return resp, nil
		})
	}
}

func changed(change func(*http.Request)) func(http.RoundTripper) http.RoundTripper {
	return before(func(req *http.Request) *http.Request {
		change(req)
		return req
	})
}

// A copied request can be changed.
func copied(change func(*http.Request)) func(http.RoundTripper) http.RoundTripper {
	return before(func(req *http.Request) *http.Request {
		again := req.Clone(req.Context())
		change(again)
		return again
	})
}

func retrying(change func(*retrier)) func(http.RoundTripper) http.RoundTripper {
	return func(base http.RoundTripper) http.RoundTripper {
		r := &retrier{base: base}
		change(r)
		return r
	}
}

// A onceBody is one that cannot be closed twice.
type onceBody struct {
	io.ReadCloser
	closed bool
}

func (b *onceBody) Close() error {
	if b.closed {
		panic("closed twice")
	}
	b.closed = true
	return b.ReadCloser.Close()
}

// A deafBody passes on what it reads through a pipe, and hears of no context.
func deafBody(resp *http.Response) {
	r, w := io.Pipe()
	body := resp.Body
	go func() {
		_, err := io.Copy(w, body)
		if err == nil {
			_ = w.Close()
		}
		_ = body.Close()
	}()
	resp.Body = r
}

var mistakes = []struct {
	name  string
	check string
	says  string // a part of what the check is to say
	wrap  func(http.RoundTripper) http.RoundTripper
}{
	{"adds to the header", "RequestUnchanged", "Header", changed(func(r *http.Request) { r.Header.Set("X-New", "1") })},
	{"appends to a field", "RequestUnchanged", "Header", changed(func(r *http.Request) { r.Header["X-One"][0] = "2" })},
	{"replaces the header", "RequestUnchanged", "Header", changed(func(r *http.Request) { r.Header = http.Header{} })},
	{"changes the URL", "RequestUnchanged", "URL", changed(func(r *http.Request) { r.URL.RawQuery = "" })},
	{"replaces the URL", "RequestUnchanged", "URL", changed(func(r *http.Request) { u := *r.URL; r.URL = &u })},
	{"drops the user", "RequestUnchanged", "URL", changed(func(r *http.Request) { r.URL.User = nil })},
	{"changes the host", "RequestUnchanged", "Host", changed(func(r *http.Request) { r.Host = "" })},
	{"wraps the body in place", "RequestUnchanged", "Body", changed(func(r *http.Request) { r.Body = io.NopCloser(r.Body) })},
	{"drops GetBody", "RequestUnchanged", "GetBody", changed(func(r *http.Request) { r.GetBody = nil })},
	{"changes a trailer", "RequestUnchanged", "Trailer", changed(func(r *http.Request) { r.Trailer.Set("X-Later", "1") })},
	{"changes the context", "RequestUnchanged", "context", changed(func(r *http.Request) {
		*r = *r.WithContext(context.WithValue(r.Context(), contextKey{}, 1))
	})},
	{"changes and restores", "RequestUnchanged", "while the base", func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			req.Header.Set("X-New", "1")
			defer req.Header.Del("X-New")
			return base.RoundTrip(req)
		})
	}},
	{"changes before a retry", "RequestUnchanged", "Body", retrying(func(r *retrier) { r.inPlace = true })},

	{"loses the body", "RequestArrives", "body", copied(func(r *http.Request) { _ = r.Body.Close(); r.Body = http.NoBody })},
	{"sends an empty body again", "RequestArrives", "attempt 2", retrying(func(r *retrier) { r.sameBody = true })},
	{"loses values", "RequestArrives", "values", before(func(r *http.Request) *http.Request { return r.WithContext(context.Background()) })},
	{"loses a field", "RequestArrives", "X-Two", copied(func(r *http.Request) { r.Header.Set("X-Two", r.Header.Get("X-Two")) })},
	{"changes the method", "RequestArrives", "method", copied(func(r *http.Request) { r.Method = http.MethodPost })},
	{"loses the query", "RequestArrives", "URL", copied(func(r *http.Request) { r.URL.RawQuery = "" })},
	{"loses the host", "RequestArrives", "host", copied(func(r *http.Request) { r.Host = "" })},
	{"loses the length", "RequestArrives", "length", copied(func(r *http.Request) { r.ContentLength = -1 })},
	{"sends nothing", "RequestArrives", "did not reach", func(http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			_ = req.Body.Close()
			return nil, errors.New("no")
		})
	}},

	{"hides Close", "RequestBodyClosed", "left open", copied(func(r *http.Request) { r.Body = io.NopCloser(r.Body) })},
	{"refuses with an open body", "RequestBodyClosed", "canceled before the call", func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			if req.Context().Err() != nil {
				return nil, ended(req.Context())
			}
			return base.RoundTrip(req)
		})
	}},
	{"opens a body too many", "RequestBodyClosed", "refused twice", retrying(func(r *retrier) { r.openTwice = true })},
	{"reads into memory", "RequestBodyClosed", "left open", copied(func(r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(data))
	})},

	{"returns both", "ResponseOrError", "either", failed(func(_ *http.Response, err error) (*http.Response, error) {
		return &http.Response{Body: http.NoBody}, err
	})},
	{"returns neither", "ResponseOrError", "either", failed(func(*http.Response, error) (*http.Response, error) { return nil, nil })},
	{"hides the cause", "ResponseOrError", "wrap", failed(func(_ *http.Response, err error) (*http.Response, error) {
		return nil, fmt.Errorf("call: %s", err.Error())
	})},
	{"makes an error of a 404", "ResponseOrError", "404", statusError(404)},
	{"makes an error of the last 429", "ResponseOrError", "429", statusError(429)},
	{"has no body", "ResponseOrError", "without a Body", after(func(resp *http.Response) { resp.Body = nil })},

	{"cuts bodies", "ResponseBody", "bytes", after(func(resp *http.Response) {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, 1000), resp.Body}
	})},
	{"cancels at return", "ResponseBody", "context canceled", func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			ctx, cancel := context.WithTimeout(req.Context(), time.Hour)
			defer cancel()
			return base.RoundTrip(req.WithContext(ctx))
		})
	}},
	{"does not close below", "ResponseBody", "open", after(func(resp *http.Response) { resp.Body = io.NopCloser(resp.Body) })},
	{"cannot close twice", "ResponseBody", "closed twice", after(func(resp *http.Response) { resp.Body = &onceBody{ReadCloser: resp.Body} })},
	{"leaves answers open", "ResponseBody", "open", retrying(func(r *retrier) { r.leaveOpen = true })},
	{"drains the last answer", "ResponseBody", "refused always", retrying(func(r *retrier) { r.drainLast = true })},
	{"ends a cut body well", "ResponseBody", "cut", after(func(resp *http.Response) {
		data, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(data))
	})},

	{"reads ahead", "ResponseStreams", "still to come", after(func(resp *http.Response) {
		data, _ := io.ReadAll(resp.Body)
		resp.Body = io.NopCloser(bytes.NewReader(data))
	})},
	{"fills a buffer", "ResponseStreams", "does not arrive", after(func(resp *http.Response) {
		body := resp.Body
		resp.Body = struct {
			io.Reader
			io.Closer
		}{bufio.NewReader(readerFunc(func(p []byte) (int, error) { return io.ReadFull(body, p) })), body}
	})},

	{"shares a header", "ResponseHeader", "not as the base", func(base http.RoundTripper) http.RoundTripper {
		kept := sync.OnceValue(func() http.Header { return http.Header{"X-Kept": {"kept"}, "X-Path": {"/h"}} })
		return after(func(resp *http.Response) { resp.Header = kept() })(base)
	}},
	{"hides the header", "ResponseHeader", "not as the base", after(func(resp *http.Response) { resp.Header = nil })},
	{"writes to an old header", "ResponseHeader", "before it", func(base http.RoundTripper) http.RoundTripper {
		var last http.Header
		return after(func(resp *http.Response) {
			if last != nil {
				last.Set("X-Kept", "another")
			}
			last = resp.Header
		})(base)
	}},

	{"hides io.Writer", "SwitchedProtocols", "io.Writer", after(func(resp *http.Response) { resp.Body = &onceBody{ReadCloser: resp.Body} })},
	{"copies the trailer", "Trailers", "want 42", after(func(resp *http.Response) { resp.Trailer = resp.Trailer.Clone() })},
	{"drops the trailer", "Trailers", "not announced", after(func(resp *http.Response) { resp.Trailer = nil })},

	{"follows redirects", "Redirects", "followed", func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) { return (&http.Client{Transport: base}).Do(req) })
	}},
	{"reads Location", "Redirects", "became the error", func(base http.RoundTripper) http.RoundTripper {
		client := &http.Client{Transport: base, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		return wrapFunc(func(req *http.Request) (*http.Response, error) { return client.Do(req) })
	}},

	{"swallows a panic", "Panic", "want that panic", func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (resp *http.Response, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			return base.RoundTrip(req)
		})
	}},
	{"stays locked after a panic", "Panic", "after a panic", func(base http.RoundTripper) http.RoundTripper {
		var mu sync.Mutex
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			resp, err := base.RoundTrip(req)
			mu.Unlock()
			return resp, err
		})
	}},

	{"hides CloseIdleConnections", "CloseIdleConnections", "does not reach", after(func(*http.Response) {})},
	{"closes everybody's connections", "CloseIdleConnections", "of all", retrying(func(r *retrier) { r.closeIdle = true })},

	{"mixes calls", "ConcurrentCalls", "asked for", mixing},
	{"answers from one cache", "SharedRequest", "", func(base http.RoundTripper) http.RoundTripper {
		var once sync.Once
		var first *http.Response
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			once.Do(func() { first, _ = base.RoundTrip(req) })
			return &http.Response{StatusCode: 200, Header: first.Header.Clone(), Body: first.Body}, nil
		})
	}},

	{"loses the cause", "CanceledBefore", "cause", failed(func(_ *http.Response, err error) (*http.Response, error) {
		if errors.Is(err, context.Canceled) {
			err = context.Canceled
		}
		return nil, err
	})},
	{"has only the cause", "CanceledBefore", "context.Canceled", failed(func(_ *http.Response, err error) (*http.Response, error) {
		if errors.Is(err, errGone) {
			err = errGone
		}
		return nil, err
	})},
	{"calls it a timeout", "CanceledInBase", "context.Canceled", failed(func(*http.Response, error) (*http.Response, error) {
		return nil, context.DeadlineExceeded
	})},
	{"detaches the context", "CanceledInBase", "did not return", before(func(r *http.Request) *http.Request {
		return r.WithContext(context.WithoutCancel(r.Context()))
	})},
	{"sends in spite of a deadline", "CanceledBefore", "past its deadline", before(func(r *http.Request) *http.Request {
		return r.WithContext(context.WithoutCancel(r.Context()))
	})},
	{"sleeps through a cancellation", "CanceledBetweenAttempts", "did not return", retrying(func(r *retrier) { r.deaf = true })},
	{"loses the cause in its sleep", "CanceledBetweenAttempts", "cause", retrying(func(r *retrier) { r.loseCause = true })},
	{"reads on through a cancellation", "CanceledInBody", "does not end", after(deafBody)},
	{"leaves a goroutine a call", "NoGoroutineLeft", "goroutine", before(func(r *http.Request) *http.Request {
		go func() { select {} }()
		return r
	})},
	{"leaves a goroutine a body", "NoGoroutineLeft", "goroutine", retrying(func(r *retrier) { r.watch = true })},
}

func statusError(status int) func(http.RoundTripper) http.RoundTripper {
	return func(base http.RoundTripper) http.RoundTripper {
		return wrapFunc(func(req *http.Request) (*http.Response, error) {
			resp, err := base.RoundTrip(req)
			if err == nil && resp.StatusCode == status {
				_ = resp.Body.Close()
				return nil, fmt.Errorf("status %d", status)
			}
			return resp, err
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// mixing remembers the last request in a place of its own, as if there were but
// one at a time.
func mixing(base http.RoundTripper) http.RoundTripper {
	var mu sync.Mutex
	var last *http.Request
	return wrapFunc(func(req *http.Request) (*http.Response, error) {
		mu.Lock()
		mine := last
		last = req
		mu.Unlock()
		if mine == nil {
			mine = req
		}
		return base.RoundTrip(mine.Clone(mine.Context()))
	})
}

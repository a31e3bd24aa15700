package transporttest

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A retrier sends again what was refused, up to three times. Its fields are
// mistakes.
type retrier struct {
	base http.RoundTripper

	inPlace   bool // changes the caller's request
	sameBody  bool // sends the body again that was read
	openTwice bool // opens a body that it does not use
	leaveOpen bool // does not close the answers that it passes over
	drainLast bool // passes over the last answer too
	closeIdle bool // closes idle connections when it gives up
	deaf      bool // sleeps whatever the context says
	loseCause bool // returns ctx.Err()
	watch     bool // begins a goroutine that nobody ends
}

func (r *retrier) CloseIdleConnections() {
	if c, ok := r.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 1; ; n++ {
		resp, err := r.base.RoundTrip(r.attempt(req, n))
		if err != nil || resp.StatusCode != http.StatusTooManyRequests {
			return resp, err
		}
		if n == 3 || req.Body != nil && req.GetBody == nil {
			return r.last(resp), nil
		}
		if !r.leaveOpen {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		s, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err := r.sleep(req.Context(), time.Duration(s)*time.Second); err != nil {
			return nil, err
		}
	}
}

func (r *retrier) attempt(req *http.Request, n int) *http.Request {
	if n == 1 || req.Body == nil || r.sameBody {
		return req
	}
	body, err := req.GetBody()
	if err != nil {
		panic(err)
	}
	if r.openTwice {
		body, _ = req.GetBody()
	}
	again := req
	if !r.inPlace {
		again = req.Clone(req.Context())
	}
	again.Body = body
	return again
}

func (r *retrier) last(resp *http.Response) *http.Response {
	if r.drainLast {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	if r.closeIdle {
		r.CloseIdleConnections()
	}
	return resp
}

func (r *retrier) sleep(ctx context.Context, d time.Duration) error {
	if r.deaf {
		ctx = context.Background()
	}
	if r.watch {
		go func() { <-time.After(time.Hour) }()
	}
	if ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(d):
			return nil
		}
	}
	if r.loseCause {
		return ctx.Err()
	}
	return ended(ctx)
}

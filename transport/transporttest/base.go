package transporttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

const home = "http://api.example.com/"

var (
	// errBase is an error that no wrapper knows.
	errBase = errors.New("transporttest: the base failed")
	// errGone is the cause for which contexts are canceled.
	errGone = errors.New("transporttest: the caller has gone")
)

// ended is why ctx is done: both its error and its cause.
func ended(ctx context.Context) error {
	return errors.Join(ctx.Err(), context.Cause(ctx))
}

// An answer is what the base returns for the n-th request, counting from 1. An
// error in err comes after the request's body was read, unless unread is set.
type answer struct {
	status int
	header http.Header
	body   io.Reader // nil for one that says which path was asked for
	err    error
	unread bool
	hang   bool // until the context of the request ends
	panics any
}

// A base keeps the contract itself. It answers by its script, the last answer
// for ever.
type base struct {
	script []answer
	look   func(*http.Request) // at each request as it comes
	asked  chan struct{}       // if not nil, is sent to by an answer that hangs

	mu     sync.Mutex
	seen   []seen
	bodies []*answerBody
	idle   int // calls of CloseIdleConnections
}

// What came with a request.
type seen struct {
	req  *http.Request
	body string
}

func (b *base) RoundTrip(req *http.Request) (*http.Response, error) {
	n := b.note(req)
	a := b.script[min(n, len(b.script))-1]
	if b.look != nil {
		b.look(req)
	}
	if err := b.receive(req, n, a.unread); err != nil {
		return nil, err
	}
	ctx := req.Context()
	if a.hang {
		if b.asked != nil {
			b.asked <- struct{}{}
		}
		<-ctx.Done()
	}
	switch {
	case a.panics != nil:
		panic(a.panics)
	case ctx.Err() != nil:
		return nil, ended(ctx)
	case a.err != nil:
		return nil, a.err
	}
	return b.respond(req, a), nil
}

func (b *base) note(req *http.Request) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = append(b.seen, seen{req: req})
	return len(b.seen)
}

// receive reads the body of the request, and closes it.
func (b *base) receive(req *http.Request, n int, unread bool) error {
	if req.Body == nil {
		return nil
	}
	defer func() { _ = req.Body.Close() }()
	if unread {
		return nil
	}
	data, err := io.ReadAll(req.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen[n-1].body = string(data)
	return err
}

func (b *base) respond(req *http.Request, a answer) *http.Response {
	body := &answerBody{ctx: req.Context(), Reader: a.body}
	length := int64(-1)
	if a.body == nil {
		body.Reader, length = strings.NewReader(req.URL.Path), int64(len(req.URL.Path))
	}
	h := a.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("X-Path", req.URL.Path)
	b.mu.Lock()
	b.bodies = append(b.bodies, body)
	b.mu.Unlock()
	resp := &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, ContentLength: length, Body: body, Request: req,
	}
	switch tail := a.body.(type) {
	case *withTrailer:
		resp.Trailer = tail.trailer
	case io.ReadWriter:
		resp.Body = &switchedBody{body, tail}
	}
	return resp
}

func (b *base) CloseIdleConnections() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle++
}

func (b *base) idled() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.idle
}

func (b *base) requests() []seen {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]seen(nil), b.seen...)
}

// open is how many bodies of answers are open.
func (b *base) open() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, body := range b.bodies {
		if !body.isClosed() {
			n++
		}
	}
	return n
}

// An answerBody can be read until it is closed, or the context of its request
// ends, as one of net/http.
type answerBody struct {
	io.Reader
	ctx context.Context

	mu     sync.Mutex
	closed bool
}

func (b *answerBody) Read(p []byte) (int, error) {
	switch {
	case b.isClosed():
		return 0, http.ErrBodyReadAfterClose
	case b.ctx.Err() != nil:
		return 0, ended(b.ctx)
	}
	return b.Reader.Read(p)
}

func (b *answerBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

func (b *answerBody) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// A switchedBody is that of a 101.
type switchedBody struct {
	*answerBody
	io.Writer
}

// A withTrailer has a trailer once it was read.
type withTrailer struct {
	io.Reader
	trailer http.Header
}

func (b *withTrailer) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		b.trailer.Set("X-Sum", "42")
	}
	return n, err
}

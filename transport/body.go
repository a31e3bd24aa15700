package transport

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/throttle"
)

// untilEnd is the body of a call that holds a permit: it is freed when the body
// has ended or is closed. A body that can be written to, after a switch of
// protocols, still can.
func untilEnd(resp *http.Response, t *throttle.Ticket) io.ReadCloser {
	if resp.Body == http.NoBody {
		t.Done()
		return resp.Body
	}
	b := &permitBody{ReadCloser: resp.Body, ticket: *t}
	if w, ok := resp.Body.(io.Writer); ok {
		return &switchedBody{b, w}
	}
	return b
}

// A permitBody frees the permit of its call when it has ended or is closed.
type permitBody struct {
	io.ReadCloser
	ticket throttle.Ticket
	once   sync.Once
}

// A switchedBody is that of a 101: both ways of a connection.
type switchedBody struct {
	*permitBody
	io.Writer
}

// CloseWrite ends the way to the server, where the connection can do that.
func (b *switchedBody) CloseWrite() error {
	if c, ok := b.ReadCloser.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (b *permitBody) Read(p []byte) (int, error) {
	ended := true // unless Read returns and says otherwise
	defer func() {
		if ended {
			b.once.Do(b.ticket.Done)
		}
	}()
	n, err := b.ReadCloser.Read(p)
	ended = err != nil
	return n, err
}

func (b *permitBody) Close() error {
	defer b.once.Do(b.ticket.Done) // even if Close panics
	return b.ReadCloser.Close()
}

// What an answer that will be sent again for may take to be read to its end,
// so that its connection is free for others.
const (
	drainBytes = 64 << 10
	drainTime  = 100 * time.Millisecond
)

// keep ends the body of an answer, and puts what there was of it into its
// place. It reports whether that is all.
func keep(resp *http.Response) bool {
	body := resp.Body
	stop := time.AfterFunc(drainTime, func() { _ = body.Close() })
	data, err := io.ReadAll(io.LimitReader(body, drainBytes+1))
	stop.Stop()
	_ = body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return err == nil && len(data) <= drainBytes
}

// A lastBody is that of an answer to a call that was tried often enough. A
// Transport around this one does not try again.
type lastBody struct{ io.ReadCloser }

// A lastError is the same for an error.
type lastError struct{ error }

func (e lastError) Unwrap() error { return e.error }

// Timeout lets [net/url.Error.Timeout] see through to the cause.
func (e lastError) Timeout() bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](e.error)
	return ok && t.Timeout()
}

func (r *result) isLast() bool {
	if r.err != nil {
		_, ok := errors.AsType[lastError](r.err)
		return ok
	}
	_, ok := r.resp.Body.(lastBody)
	return ok
}

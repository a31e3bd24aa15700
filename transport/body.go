package transport

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/throttle"
)

// untilEnd is the body of a call that holds a permit: it is freed when the body
// has ended or is closed. A body that can be written to, after a switch of
// protocols, still can.
func untilEnd(body io.ReadCloser, t *throttle.Ticket) io.ReadCloser {
	b := &permitBody{ReadCloser: body, ticket: *t}
	if w, ok := body.(io.Writer); ok {
		return struct {
			*permitBody
			io.Writer
		}{b, w}
	}
	return b
}

// A permitBody frees the permit of its call when it has ended or is closed.
type permitBody struct {
	io.ReadCloser
	ticket throttle.Ticket
	once   sync.Once
}

func (b *permitBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(b.ticket.Done)
	}
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

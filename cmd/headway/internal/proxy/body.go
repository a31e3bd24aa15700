package proxy

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// heldBytes is how long a body may be that is read before its call waits. Such
// a call can be sent again when it is refused, and is given up as soon as its
// client is gone, which nobody can see before the end of the body. Longer ones
// and those of unknown length are given on as they come, and sent once.
const heldBytes = 64 << 10

// short reports whether to hold the body. One that is only sent if the server
// wants it is not asked for.
func short(r *http.Request) bool {
	return r.ContentLength == 0 || r.ContentLength > 0 && r.ContentLength <= heldBytes && r.Header.Get("Expect") == ""
}

func hold(r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	data := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, data); err != nil {
		return err
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	r.Body, _ = r.GetBody()
	return nil
}

// duplex lets an answer begin before the request has ended. Without it net/http
// does not promise that the rest of the request can be read then.
func (c *call) duplex(w http.ResponseWriter) {
	if c.body != nil {
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1.1 can do it
	}
}

// settle is for when an answer begins. If the request has not ended by then, its
// connection serves no other: net/http would take what is left of it for the next.
func (c *call) settle(h http.Header) {
	if c.body != nil && !c.body.ended.Load() {
		h.Set("Connection", "close")
	}
}

// answered is for when a server has answered. Where it does not say what the
// answer is, nobody is to guess.
func (c *call) answered(resp *http.Response) {
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return
	}
	c.settle(resp.Header)
	if resp.Header["Content-Type"] == nil {
		c.head["Content-Type"] = nil
	}
}

// How long an answer that has ended waits for a request that has not.
const (
	lingering = 50 * time.Millisecond // for who sends nothing to send more
	leaving   = time.Second           // for all that still comes
)

// leave is for when an answer has ended. A request that has not is still being
// read, and net/http wants that to be over, or it cuts off a client that goes on
// to send, who then has no answer. One who waits for us sends nothing, and would
// hold the connection: it is not for another request, so the deadline can stay.
func (c *call) leave(w http.ResponseWriter) {
	if c.body == nil || c.body.ended.Load() {
		return
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(lingering))
	c.body.shut()
	_ = rc.SetReadDeadline(time.Now().Add(leaving))
}

// A watchedBody knows whether all of it has been read.
type watchedBody struct {
	io.ReadCloser
	ended atomic.Bool

	mu     sync.Mutex // held by who reads
	isShut bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isShut {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended.Store(true)
	}
	return n, err
}

// shut waits for who reads, and lets nobody read after.
func (b *watchedBody) shut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isShut = true
}

package fetch

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
)

// A turn is what the calls of a host take in turn: only one of them waits for
// its slot. So the wait of a call is that for one slot, however many workers
// there are. And until a host has answered for the first time, and perhaps said
// what its limits are, there is but one call.
type turn struct {
	mu       sync.Mutex
	answered atomic.Bool
}

// A hold is that a call has the turn of its host. It is passed on once.
type hold struct {
	of   *turn
	once sync.Once
	gone atomic.Bool // the call was sent
}

type holdKey struct{}

func (t *turn) take() *hold {
	t.mu.Lock()
	return &hold{of: t}
}

func (h *hold) pass() { h.once.Do(h.of.mu.Unlock) }

// sent is for when the call goes to the server.
func (h *hold) sent() {
	h.gone.Store(true)
	if h.of.answered.Load() {
		h.pass()
	}
}

// answered is for when all is known that the answer says.
func (h *hold) answered() {
	h.of.answered.Store(true)
	h.pass()
}

func (h *hold) in(ctx context.Context) context.Context { return context.WithValue(ctx, holdKey{}, h) }

func holdOf(ctx context.Context) *hold { return ctx.Value(holdKey{}).(*hold) }

// A Base has to be below the http.RoundTripper that paces the calls of a [Job]:
// it learns there that a call goes to the server.
type Base struct {
	Under http.RoundTripper
	sent  atomic.Int64
}

// RoundTrip implements [http.RoundTripper].
func (b *Base) RoundTrip(req *http.Request) (*http.Response, error) {
	b.sent.Add(1)
	holdOf(req.Context()).sent()
	return b.Under.RoundTrip(req)
}

// Sent is how many requests went to servers, those of redirects and those that
// were sent again included.
func (b *Base) Sent() int64 { return b.sent.Load() }

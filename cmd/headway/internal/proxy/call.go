package proxy

import (
	"context"
	"net/http"
	"time"
)

// A call is what is known of a request on its way. It is in the context of the
// request to the server.
type call struct {
	client context.Context // of the client's request
	host   string          // under which the client called us
	body   *watchedBody    // nil if nothing is left to come
	head   http.Header     // of the answer to the client
	waited time.Duration   // so far
}

type callKey struct{}

// callOf returns nil if the request is not one that the proxy was given.
func callOf(r *http.Request) *call {
	c, _ := r.Context().Value(callKey{}).(*call)
	return c
}

// begin makes the request one of the proxy's own, with a context that ends when
// the client is gone, and when the proxy is stopped. The caller calls end.
func (p *Proxy) begin(w http.ResponseWriter, r *http.Request) (own *http.Request, end func(), err error) {
	c := &call{client: r.Context(), host: r.Host, head: w.Header()}
	ctx, cancel := context.WithCancelCause(context.WithValue(r.Context(), callKey{}, c))
	undo := context.AfterFunc(p.stopping, func() { cancel(errStopping) })
	own = r.WithContext(ctx)
	if short(r) {
		err = hold(own)
	} else {
		c.body = &watchedBody{ReadCloser: r.Body}
		own.Body = c.body
	}
	return own, func() {
		undo()
		cancel(nil)
	}, err
}

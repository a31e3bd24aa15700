package proxy

import (
	"context"
	"errors"
	"net/http"
)

// errStopping is why a call that waits is not sent.
var errStopping = errors.New("the proxy is being stopped")

// A sender makes the calls that may go. When the proxy is stopped, those that
// still wait for that are told, and those under way end as they would have: from
// here on it is the client alone who can end them.
type sender struct{ base http.RoundTripper }

func (s sender) RoundTrip(req *http.Request) (*http.Response, error) {
	client := callOf(req).client
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(req.Context()))
	context.AfterFunc(client, func() { cancel(context.Cause(client)) }) // at the latest when it has been answered
	return s.base.RoundTrip(req.WithContext(ctx))
}

func (s sender) CloseIdleConnections() {
	if c, ok := s.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

package transport_test

import (
	"net"
	"net/http"
	"sync/atomic"
)

// countNew counts the connections that a server accepts.
func countNew(n *atomic.Int32) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			n.Add(1)
		}
	}
}

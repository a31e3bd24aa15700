package transport_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/headway-go/headway/transport"
)

// countNew counts the connections that a server accepts.
func countNew(n *atomic.Int32) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			n.Add(1)
		}
	}
}

func TestStreamThatIsResetIsTriedAgain(t *testing.T) {
	var calls atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("HTTP/%d", r.ProtoMajor)
		}
		if calls.Add(1) == 1 {
			panic(http.ErrAbortHandler) // RST_STREAM
		}
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	tr := &transport.Transport{Base: srv.Client().Transport, Backoff: still}
	for _, tt := range []struct {
		method string
		calls  int32
	}{{"GET", 2}, {"POST", 1}} {
		calls.Store(0)
		req, err := http.NewRequestWithContext(t.Context(), tt.method, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(req)
		if (err == nil) != (tt.calls == 2) {
			t.Errorf("%s: %v", tt.method, err)
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		if n := calls.Load(); n != tt.calls {
			t.Errorf("%s was sent %d times, want %d", tt.method, n, tt.calls)
		}
	}
}

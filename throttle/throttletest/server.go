package throttletest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// memoryURL is the address of servers in memory. The name is reserved for tests
// (RFC 6761), so that a client that dials by itself reaches nobody.
const memoryURL = "http://memory.test"

// A Server is a [Handler] on a listener of its own. URL, Client and Close are
// those of [httptest.Server]; a server closes itself at the end of the test.
type Server struct {
	*httptest.Server
	*Handler

	tb          testing.TB
	dial        func(ctx context.Context, network, addr string) (net.Conn, error)
	connections atomic.Int64
}

// NewServer starts a server on a loopback socket. It ends the test if the
// Config cannot be used.
func NewServer(tb testing.TB, c Config) *Server {
	tb.Helper()
	s := newServer(tb, c)
	s.Server = httptest.NewUnstartedServer(s.Handler)
	addr := s.Listener.Addr()
	s.dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, addr.Network(), addr.String())
	}
	s.start()
	return s
}

// NewMemoryServer starts a server that listens in memory. It works in a
// [testing/synctest] bubble, where it has to be given the bubble's own tb, and
// outside of one. It ends the test if the Config cannot be used.
//
// A bubble wants everything in it to end. So a client that leaves a response
// body open is found out: synctest panics, because blocked goroutines remain.
func NewMemoryServer(tb testing.TB, c Config) *Server {
	tb.Helper()
	s := newServer(tb, c)
	l := newListener()
	s.Server = &httptest.Server{Listener: l, Config: &http.Server{Handler: s.Handler}}
	s.dial = l.dial
	s.start()
	s.URL = memoryURL
	return s
}

func newServer(tb testing.TB, c Config) *Server {
	tb.Helper()
	h, err := NewHandler(c)
	if err != nil {
		tb.Fatal(err)
	}
	return &Server{Handler: h, tb: tb}
}

func (s *Server) start() {
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	s.Start()
	s.Client().Transport.(*http.Transport).DialContext = s.DialContext
	s.tb.Cleanup(s.Close)
}

// DialContext connects to the server, whatever the network and address: it is
// the DialContext of an [http.Transport] of your own. The transport of Client
// has it too, so that a test may call the server by the URLs that the client
// under test will use, as long as they start with http.
func (s *Server) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.dial(ctx, network, addr)
}

// Connections returns how many connections the server has accepted so far.
func (s *Server) Connections() int { return int(s.connections.Load()) }

// SetLimit is [Handler.SetLimit]; instead of returning an error it marks the
// test as failed.
func (s *Server) SetLimit(rate float64, burst int) {
	s.tb.Helper()
	if err := s.Handler.SetLimit(rate, burst); err != nil {
		s.tb.Error(err)
	}
}

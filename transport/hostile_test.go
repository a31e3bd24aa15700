package transport_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headway-go/headway/transport"
)

// A raw server answers each connection with bytes of its own choice.
func rawServer(t *testing.T, serve func(net.Conn)) (url string, conns *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	conns = &atomic.Int32{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			go func() {
				defer conns.Add(-1)
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return "http://" + l.Addr().String(), conns
}

func readRequest(c net.Conn) {
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err == nil {
		_, _ = io.Copy(io.Discard, req.Body)
	}
}

// Whatever a server does, each call ends in one response or one error, and
// nothing is left behind: no goroutine, no connection.
func TestHostileServers(t *testing.T) {
	for name, serve := range map[string]func(net.Conn){
		"garbage":      func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, "\x16\x03garbage\r\n\r\n") },
		"closes early": func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Le") },
		"closes":       func(net.Conn) {},
		"cuts the body": func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 429 Too Many\r\nContent-Length: 100\r\n\r\nshort")
		},
		"never ends a refusal": func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 429 Too Many\r\nTransfer-Encoding: chunked\r\n\r\n")
			for {
				if _, err := io.WriteString(c, "4\r\nmore\r\n"); err != nil {
					return
				}
			}
		},
		"stops in a refusal": func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 429 Too Many\r\nContent-Length: 100\r\n\r\nshort")
			_, _ = io.Copy(io.Discard, c) // until the client has had enough
		},
	} {
		t.Run(name, func(t *testing.T) {
			url, conns := rawServer(t, serve)
			before := runtime.NumGoroutine()
			base := &http.Transport{}
			tr := &transport.Transport{Base: base, MaxConcurrent: 2, MaxAttempts: 3}
			tr.Backoff.Min, tr.Backoff.Max = time.Millisecond, time.Millisecond
			for range 3 {
				resp, err := tr.RoundTrip(get(t, url))
				if (resp == nil) == (err == nil) {
					t.Fatalf("RoundTrip = %v, %v", resp, err)
				}
				if resp != nil {
					_ = resp.Body.Close() // the last answer is the caller's, unread
				}
			}
			base.CloseIdleConnections()
			eventually(t, func() bool { return conns.Load() == 0 && runtime.NumGoroutine() <= before+1 })
		})
	}
}

// eventually fails the test if ok does not come true within a generous time.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("something is left:\n%s", buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
		<-time.After(time.Millisecond)
	}
}

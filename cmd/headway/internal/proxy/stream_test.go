package proxy

import (
	"bufio"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/transport"
)

// echo answers with what comes, as it comes.
func echo(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	_ = c.EnableFullDuplex() // HTTP/2 has nothing else
	_ = c.Flush()
	buf := make([]byte, 1<<10)
	for {
		n, err := r.Body.Read(buf)
		_, _ = w.Write(buf[:n])
		_ = c.Flush()
		if err != nil {
			break
		}
	}
	for name, values := range r.Trailer {
		w.Header()[http.TrailerPrefix+"Echo-"+name] = values
	}
}

// talk sends a body piece by piece, and wants each back before it sends the next.
func talk(t *testing.T, client *http.Client, url string) {
	t.Helper()
	in, out := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, in)
	if err != nil {
		t.Fatal(err)
	}
	req.Trailer = http.Header{"Sum": nil}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, piece := range []string{"one", "two", "three"} {
		_, _ = io.WriteString(out, piece)
		got := make([]byte, len(piece))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != piece {
			t.Fatalf("%q came back as %q, %v", piece, got, err)
		}
	}
	req.Trailer.Set("Sum", "11")
	_ = out.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("at the end: %q, %v", rest, err)
	}
	if got := resp.Trailer.Get("Echo-Sum"); got != "11" {
		t.Errorf("trailer %q, want 11", got)
	}
}

// Bodies go both ways at once, and trailers with them.
func TestStreams(t *testing.T) {
	for _, concurrent := range []int{0, 1} {
		both(t, Config{Transport: &transport.Transport{MaxConcurrent: concurrent}}, echo, func(t *testing.T, w way) {
			for range 3 { // on one connection
				talk(t, w.client, w.base)
			}
		})
	}
}

// The way to a server is HTTP/2 where it speaks it.
func TestHTTP2(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("a call by %s", r.Proto)
		}
		echo(w, r)
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	base := newGuard(Config{}).transport()
	base.TLSClientConfig.RootCAs = roots
	r := start(t, Config{Transport: &transport.Transport{Base: base}}, srv.URL)
	for range 3 {
		talk(t, http.DefaultClient, r.bases[0])
	}
}

// switched answers with what comes, after a switch of protocols.
func switched(w http.ResponseWriter, _ *http.Request) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	fmt.Fprint(buf, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	_ = buf.Flush()
	_, _ = io.Copy(conn, buf)
}

// upgrade asks for it.
func upgrade(t *testing.T, w way) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, in := dial(t, w)
	fmt.Fprintf(conn, "GET %s/ HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n", w.target, w.addr)
	if status, _ := in.ReadString('\n'); !strings.Contains(status, " 101 ") {
		t.Fatalf("the answer is %q", status)
	}
	if h, err := textproto.NewReader(in).ReadMIMEHeader(); err != nil || h.Get("Upgrade") != "echo" {
		t.Fatalf("the answer has %v, %v", h, err)
	}
	return conn, in
}

// A switch of protocols passes: both ends write until one closes.
func TestUpgrade(t *testing.T) {
	for _, concurrent := range []int{0, 1} {
		both(t, Config{Transport: &transport.Transport{MaxConcurrent: concurrent}}, switched, func(t *testing.T, w way) {
			conn, in := upgrade(t, w)
			for _, piece := range []string{"one\n", "two\n"} {
				fmt.Fprint(conn, piece)
				if got, err := in.ReadString('\n'); got != piece {
					t.Fatalf("%q came back as %q, %v", piece, got, err)
				}
			}
			_ = conn.(*net.TCPConn).CloseWrite()
			if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
				t.Errorf("at the end: %q, %v", rest, err)
			}
		})
	}
}

// They have no end of their own: a shutdown is one, and is not held up.
func TestShutdownEndsUpgrades(t *testing.T) {
	server := serve(t, switched)
	r := start(t, Config{}, server)
	conn, in := upgrade(t, ways(t, r, server)[0])
	fmt.Fprint(conn, "one\n")
	if got, err := in.ReadString('\n'); got != "one\n" {
		t.Fatalf("%q, %v", got, err)
	}
	if err := r.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if rest, _ := io.ReadAll(in); len(rest) > 0 {
		t.Errorf("after the end: %q", rest)
	}
}

func dial(t *testing.T, w way) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, bufio.NewReader(conn)
}

// A client that asks first sends its body only if the server wants it.
func TestExpectContinue(t *testing.T) {
	both(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/no") {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		_, _ = io.Copy(w, r.Body)
	}, func(t *testing.T, w way) {
		for _, tt := range []struct{ path, status string }{{"/yes", "100"}, {"/no", "417"}} {
			conn, in := dial(t, w)
			fmt.Fprintf(conn, "POST %s%s HTTP/1.1\r\nHost: %s\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n", w.target, tt.path, w.addr)
			status, _ := in.ReadString('\n')
			if !strings.Contains(status, " "+tt.status+" ") {
				t.Errorf("%s: the answer is %q, want %s", tt.path, status, tt.status)
			}
			if tt.status != "100" {
				_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // so that what is wrong ends as well
				if _, err := io.Copy(io.Discard, in); err != nil {
					t.Errorf("%s: the connection stays for a body that nobody wants: %v", tt.path, err)
				}
				continue
			}
			_, _ = textproto.NewReader(in).ReadMIMEHeader() // the end of the 100
			fmt.Fprint(conn, "body")
			resp, err := http.ReadResponse(in, nil)
			for err == nil && resp.StatusCode == http.StatusContinue { // one of the server, one of the proxy
				resp, err = http.ReadResponse(in, nil)
			}
			if got := body(t, resp, err); got != "body" {
				t.Errorf("the body came back as %q", got)
			}
		}
	})
}

// A server may answer before it has read the request, and the connection of the
// client is good for the next one, or said not to be.
func TestEarlyAnswer(t *testing.T) {
	both(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	}, func(t *testing.T, w way) {
		for _, size := range []int64{1, heldBytes + 1, 1 << 20} {
			for range 5 {
				resp, err := w.client.Post(w.base, "text/plain", io.LimitReader(endlessly{}, size))
				body(t, resp, err)
				if resp.StatusCode != http.StatusRequestEntityTooLarge {
					t.Errorf("a body of %d bytes: status %d", size, resp.StatusCode)
				}
				resp, err = w.client.Get(w.base)
				body(t, resp, err)
				if resp.StatusCode != http.StatusOK {
					t.Errorf("after a body of %d bytes: status %d", size, resp.StatusCode)
				}
			}
		}
	})
}

// Nothing is held back until there is more of it, even where it is known how much
// there will be.
func TestFlushes(t *testing.T) {
	more := make(chan struct{})
	both(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "6")
		_, _ = io.WriteString(w, "one")
		_ = http.NewResponseController(w).Flush()
		<-more
		_, _ = io.WriteString(w, "two")
	}, func(t *testing.T, w way) {
		resp, err := w.client.Get(w.base)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 3)
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != "one" {
			t.Errorf("%q, %v", got, err)
		}
		more <- struct{}{}
		if rest := body(t, resp, nil); rest != "two" {
			t.Errorf("%q", rest)
		}
	})
}

// A server may end its answer before the client ends its request: the client sees
// that end, and that the connection is not for another call.
func TestServerEndsFirst(t *testing.T) {
	both(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		_ = c.EnableFullDuplex()
		w.Header().Set("Connection", "close") // of this connection, not of the client's
		_, _ = io.WriteString(w, "enough")
		_ = c.Flush()
	}, func(t *testing.T, w way) {
		for _, length := range []string{"Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n", "Content-Length: 100000\r\n\r\none"} {
			conn, in := dial(t, w)
			fmt.Fprintf(conn, "POST %s/ HTTP/1.1\r\nHost: %s\r\n%s", w.target, w.addr, length)
			resp, err := http.ReadResponse(in, nil)
			if got := body(t, resp, err); got != "enough" || !resp.Close {
				t.Errorf("%q, with %v; want it to close", got, resp.Header)
			}
		}
	})
}

type endlessly struct{}

func (endlessly) Read(p []byte) (int, error) { return len(p), nil }

func TestInformational(t *testing.T) {
	both(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		_, _ = io.WriteString(w, "done")
	}, func(t *testing.T, w way) {
		hints := 0
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			if hints++; code != http.StatusEarlyHints || h.Get("Link") == "" {
				t.Errorf("%d with %v", code, h)
			}
			return nil
		}})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := w.client.Do(req)
		if got := body(t, resp, err); got != "done" || hints != 1 || resp.Header.Get("Link") != "" {
			t.Errorf("%q after %d hints, with %v", got, hints, resp.Header)
		}
	})
}

// An answer that breaks off is no answer that ended.
func TestBrokenAnswer(t *testing.T) {
	both(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 10_000))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, func(t *testing.T, w way) {
		resp, err := w.client.Get(w.base)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if n, err := io.Copy(io.Discard, resp.Body); err == nil {
			t.Errorf("%d bytes, and no error", n)
		}
	})
}

// A server hears of it when the client of a stream is gone.
func TestClientGone(t *testing.T) {
	gone := make(chan struct{}, 1)
	both(t, Config{Transport: &transport.Transport{MaxConcurrent: 1}}, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	}, func(t *testing.T, w way) {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := w.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		resp.Body.Close()
		<-gone
	})
}

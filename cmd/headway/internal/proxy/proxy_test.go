package proxy

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/headway-go/headway/transport"
)

// A running is a proxy on loopback, and what it writes for its operator.
type running struct {
	*Proxy
	url string // of the forward proxy
	out *lockedBuilder
}

type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts a proxy that has the servers with these URLs as upstreams.
func start(t *testing.T, c Config, upstreams ...string) *running {
	t.Helper()
	r := &running{out: &lockedBuilder{}}
	if c.Transport == nil {
		c.Transport = &transport.Transport{}
	}
	c.Log = log.New(r.out, "", 0)
	listeners := []net.Listener{listen(t)}
	for _, text := range upstreams {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Upstreams = append(c.Upstreams, u)
		listeners = append(listeners, listen(t))
	}
	r.Proxy = New(c)
	failed := r.Start(listeners)
	r.url = BaseURL(listeners[0].Addr())
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // what is left is cut off
		_ = r.Shutdown(ctx)
		c.Transport.CloseIdleConnections()
		select {
		case err := <-failed:
			t.Error(err)
		default:
		}
	})
	return r
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serve starts a server on loopback.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// A way is one way to a server: through the forward proxy, or as an upstream.
type way struct {
	name   string
	server string // its URL
	client *http.Client
	base   string // in the place of that URL
	addr   string // of the proxy, for those who write to it themselves
	target string // what begins a request target there
}

// ways are both ways to one server.
func ways(t *testing.T, r *running, server string) []way {
	t.Helper()
	through, err := url.Parse(r.url)
	if err != nil {
		t.Fatal(err)
	}
	client := func(proxy func(*http.Request) (*url.URL, error)) *http.Client {
		tr := &http.Transport{Proxy: proxy, DisableCompression: true}
		t.Cleanup(tr.CloseIdleConnections)
		return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	upstream, _ := strings.CutPrefix(r.bases[0], "http://")
	return []way{
		{"forward", server, client(http.ProxyURL(through)), server, through.Host, server},
		{"upstream", server, client(nil), r.bases[0], upstream, ""},
	}
}

// both does something with both ways to a server.
func both(t *testing.T, c Config, h http.HandlerFunc, do func(t *testing.T, w way)) {
	t.Helper()
	server := serve(t, h)
	r := start(t, c, server)
	for _, w := range ways(t, r, server) {
		t.Run(w.name, func(t *testing.T) { do(t, w) })
	}
}

func body(t *testing.T, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// A request arrives as it was made, and the answer comes as it was given.
func TestPassesAsItIs(t *testing.T) {
	var seen *http.Request
	both(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Clone(context.Background())
		w.Header()["Content-Type"] = nil // said by nobody
		w.Header().Set("Connection", "X-Hop")
		w.Header().Set("X-Hop", "no")
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", "2")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "<html>")
	}, func(t *testing.T, w way) {
		const target = "/a%2Fb//c/../d?x=1;y&z=%zz"
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.base+target, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"User-Agent":          {""}, // none
			"Connection":          {"X-Mine"},
			"X-Mine":              {"no"},
			"Proxy-Authorization": {"no"},
			"Te":                  {"trailers"},
			"X-Forwarded-For":     {"192.0.2.1"},
			"Authorization":       {"Bearer t"},
		}
		resp, err := w.client.Do(req)
		if got := body(t, resp, err); got != "<html>" || resp.StatusCode != http.StatusTeapot {
			t.Errorf("status %d, body %q", resp.StatusCode, got)
		}
		if h := resp.Header; h["Content-Type"] != nil || h["X-Hop"] != nil || h["Connection"] != nil || len(h["X-Two"]) != 2 {
			t.Errorf("the answer has %v", h)
		}
		if seen.RequestURI != target || "http://"+seen.Host != w.server {
			t.Errorf("the server saw %s of %s", seen.RequestURI, seen.Host)
		}
		want := http.Header{"Te": {"trailers"}, "X-Forwarded-For": {"192.0.2.1"}, "Authorization": {"Bearer t"}}
		if len(seen.Header) != len(want) || seen.Header.Get("Te") == "" || seen.Header.Get("X-Forwarded-For") != "192.0.2.1" {
			t.Errorf("the server saw %v, want %v", seen.Header, want)
		}
	})
}

// Where a server does not say what its answer is, nobody guesses.
func TestNoGuess(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = io.WriteString(w, "<html>")
	})
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	h := New(Config{Transport: &transport.Transport{}}).Upstream(to)
	front := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(struct{ http.ResponseWriter }{w}, r) // without its Flush, the head goes with the body
	})
	resp, err := http.Get(front)
	if got := body(t, resp, err); got != "<html>" || resp.Header["Content-Type"] != nil {
		t.Errorf("%q, with %v", got, resp.Header)
	}
}

func TestForwarded(t *testing.T) {
	both(t, Config{Forwarded: true}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("X-Forwarded-For")+" "+r.Header.Get("X-Forwarded-Proto"))
	}, func(t *testing.T, w way) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.base, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Forwarded-For", "192.0.2.1")
		resp, err := w.client.Do(req)
		if got := body(t, resp, err); got != "192.0.2.1, 127.0.0.1 http" {
			t.Errorf("the server saw %q", got)
		}
	})
}

// A client has one connection for many calls, and so has the proxy.
func TestKeepAlive(t *testing.T) {
	var mu sync.Mutex
	peers := map[string]bool{}
	both(t, Config{}, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		peers[r.RemoteAddr] = true
	}, func(t *testing.T, w way) {
		for range 20 {
			resp, err := w.client.Get(w.base)
			body(t, resp, err)
		}
	})
	if len(peers) != 1 { // both ways are one host
		t.Errorf("%d connections for 40 calls, want 1", len(peers))
	}
}

// Several upstreams have a port each.
func TestUpstreams(t *testing.T) {
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	r := start(t, Config{}, serve(t, answer("one")), serve(t, answer("two")))
	for i, want := range []string{"one", "two"} {
		resp, err := http.Get(r.bases[i] + "/x")
		if got := body(t, resp, err); got != want {
			t.Errorf("upstream %d is %q, want %q", i, got, want)
		}
	}
}

// Whoever started the proxy is told when it can no longer be reached.
func TestListenerFails(t *testing.T) {
	l := listen(t)
	p := New(Config{Transport: &transport.Transport{}})
	failed := p.Start([]net.Listener{l})
	_ = l.Close()
	if err := <-failed; err == nil {
		t.Error("no error")
	}
}

// What a server asks for is waited out, and a short body is sent again.
func TestRefusedIsSentAgain(t *testing.T) {
	refuse := true
	both(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		if refuse = !refuse; !refuse {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write(data)
	}, func(t *testing.T, w way) {
		for _, size := range []int{1, heldBytes, heldBytes + 1} {
			sent := strings.Repeat("x", size)
			resp, err := w.client.Post(w.base, "text/plain", strings.NewReader(sent))
			got := body(t, resp, err)
			if again := got == sent && resp.StatusCode == http.StatusOK; again != (size <= heldBytes) {
				t.Errorf("a body of %d bytes: status %d and %d bytes came back", size, resp.StatusCode, len(got))
			}
			refuse = true
		}
	})
}

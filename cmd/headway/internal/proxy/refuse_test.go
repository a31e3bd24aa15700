package proxy

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// raw sends a request as it is written, and returns the answer.
func raw(t *testing.T, w way, head string) (*http.Response, string) {
	t.Helper()
	conn, in := dial(t, w)
	fmt.Fprint(conn, head)
	resp, err := http.ReadResponse(in, nil)
	return resp, body(t, resp, err)
}

func TestConnectIsRefused(t *testing.T) {
	both(t, Config{}, func(http.ResponseWriter, *http.Request) {
		t.Error("a call")
	}, func(t *testing.T, w way) {
		for host, want := range map[string]string{"api.test:443": "https://api.test", "api.test:8443": "https://api.test:8443", "x%0d%0ay:443": "https://api.example.com"} {
			resp, text := raw(t, w, "CONNECT "+host+" HTTP/1.1\r\nHost: api.test\r\n\r\n")
			if resp.StatusCode == http.StatusBadRequest && strings.Contains(host, "%") {
				continue // net/http knows better
			}
			const status = "501 Use headway proxy --upstream "
			if resp.Status != status+want || !strings.Contains(text, "--upstream "+want+" ") || strings.Count(text, "\n") != 1 {
				t.Errorf("CONNECT %s: %q, %q", host, resp.Status, text)
			}
		}
	})
}

// Nothing that is refused reaches a server.
func TestRefuses(t *testing.T) {
	reached := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a call") })
	r := start(t, Config{Names: []string{"headway.test"}}, reached)
	forward, upstream := ways(t, r, reached)[0], ways(t, r, reached)[1]
	_, port, _ := net.SplitHostPort(forward.addr)
	for _, tt := range []struct {
		name   string
		w      way
		target string
		host   string
		status int
		want   string
	}{
		{"itself", forward, "http://" + forward.addr + "/", forward.addr, http.StatusLoopDetected, "come back"},
		{"itself by name", forward, "http://localhost:" + port + "/", "localhost", http.StatusLoopDetected, "come back"},
		{"itself by any address", forward, "http://0.0.0.0:" + port + "/", "0.0.0.0", http.StatusLoopDetected, "come back"},
		{"itself as an upstream", forward, "http://" + upstream.addr + "/", upstream.addr, http.StatusLoopDetected, "come back"},
		{"metadata", forward, "http://169.254.169.254/latest/", "169.254.169.254", http.StatusForbidden, "internal"},
		{"metadata in IPv6", forward, "http://[::ffff:169.254.169.254]/", "x", http.StatusForbidden, "internal"},
		{"another scheme", forward, "ftp://api.test/", "api.test", http.StatusBadRequest, "needs http://"},
		{"no host", forward, "http:///x", "api.test", http.StatusBadRequest, "needs http://"},
		{"a foreign Host", upstream, "/", "evil.test", http.StatusMisdirectedRequest, "--name"},
		{"a foreign Host with a port", upstream, "/", "evil.test:" + port, http.StatusMisdirectedRequest, "--name"},
		{"a foreign Host in the target", upstream, "http://evil.test/", "127.0.0.1", http.StatusMisdirectedRequest, "--name"},
		{"pages for a foreign Host", forward, "/status.json", "evil.test", http.StatusMisdirectedRequest, "--name"},
		{"a page that is not there", forward, "/x", forward.addr, http.StatusNotFound, ""},
	} {
		resp, text := raw(t, tt.w, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", tt.target, tt.host))
		if resp.StatusCode != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %s, %q; want %d, %q", tt.name, resp.Status, text, tt.status, tt.want)
		}
	}
	if strings.Contains(page(t, r, "/metrics"), "headway_proxy_retries_total{") {
		t.Error("what is refused was tried again")
	}
	resp, _ := raw(t, forward, "GET / HTTP/1.1\r\nHost: Headway.test:1234\r\n\r\n")
	if resp.StatusCode != http.StatusOK {
		t.Errorf("a name of its own: %s", resp.Status)
	}
}

func TestGuard(t *testing.T) {
	upstreams := []*url.URL{{Scheme: "http", Host: "169.254.1.1"}, {Scheme: "https", Host: "Localhost"}}
	local, everywhere, open := newGuard(Config{Upstreams: upstreams}), newGuard(Config{Upstreams: upstreams}), newGuard(Config{AllowInternal: true})
	local.listens(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8420})
	everywhere.listens(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8420})
	open.listens(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8420})
	for _, tt := range []struct {
		addr, resolved           string
		local, everywhere, openG *answer
	}{
		{"api.test:80", "192.0.2.1:80", nil, nil, nil},
		{"api.test:80", "10.0.0.1:80", nil, nil, nil},
		{"api.test:80", "127.0.0.1:80", nil, internalAddress, nil},
		{"api.test:80", "[::1]:80", nil, internalAddress, nil},
		{"api.test:80", "0.0.0.0:80", nil, internalAddress, nil},
		{"api.test:80", "169.254.169.254:80", internalAddress, internalAddress, nil},
		{"api.test:80", "[::ffff:169.254.169.254]:80", internalAddress, internalAddress, nil},
		{"api.test:80", "[64:ff9b::169.254.169.254]:80", internalAddress, internalAddress, nil},
		{"api.test:80", "[64:ff9b::192.0.2.1]:80", nil, nil, nil},
		{"api.test:80", "[fe80::1%eth0]:80", internalAddress, internalAddress, nil},
		{"api.test:80", "[fd00:ec2::254]:80", internalAddress, internalAddress, nil},
		{"api.test:80", "100.100.100.200:80", internalAddress, internalAddress, nil},
		{"169.254.1.1:80", "169.254.1.1:80", nil, nil, nil},
		{"169.254.1.1:81", "169.254.1.1:81", internalAddress, internalAddress, nil},
		{"localhost:443", "127.0.0.1:443", nil, nil, nil},
		{"localhost:8420", "127.0.0.1:8420", loops, loops, loops},
		{"localhost:8420", "0.0.0.0:8420", loops, loops, loops},
		{"localhost:8420", "127.0.0.2:8420", nil, loops, loops},
		{"localhost:8420", "[::1]:8420", nil, loops, loops},
		{"no address", "no address", internalAddress, internalAddress, internalAddress},
	} {
		for i, got := range []*answer{local.check(tt.addr, tt.resolved), everywhere.check(tt.addr, tt.resolved), open.check(tt.addr, tt.resolved)} {
			if want := []*answer{tt.local, tt.everywhere, tt.openG}[i]; got != want {
				t.Errorf("guard %d, %s at %s: %v, want %v", i, tt.addr, tt.resolved, got, want)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	p := New(Config{Transport: &transport.Transport{}, Names: []string{"headway.test"}})
	for host, want := range map[string]bool{
		"": true, "127.0.0.1": true, "127.0.0.1:8420": true, "[::1]:8420": true, "[::1]": true, "localhost:1": true, "LOCALHOST.": true,
		"api.localhost": true, "headway.test:8420": true, "192.0.2.1:80": true,
		"evil.test": false, "evil.test:8420": false, "localhost.evil.test": false, "127.0.0.1.evil.test": false, "127.0.0.1x": false, "x:y:z:": false,
	} {
		if got := p.named(host); got != want {
			t.Errorf("named(%q) = %t", host, got)
		}
	}
}

// What a call may hold is in no answer about an error.
func TestAnswerTo(t *testing.T) {
	op := func(name string, err error) error { return &net.OpError{Op: name, Net: "tcp", Err: err} }
	for _, tt := range []struct {
		err    error
		status int
		want   string
		after  time.Duration
	}{
		{&throttle.WaitError{Key: "k", Cause: throttle.CauseLimit, Wait: 1500 * time.Millisecond, Err: throttle.ErrMaxWait}, 429, "k: not sent: wait of 1.5s for the limit", 1500 * time.Millisecond},
		{&throttle.WaitError{Key: "k", Cause: throttle.CauseCoolDown, Wait: time.Hour, Err: throttle.ErrMaxWait}, 429, "cool-down", time.Hour},
		{&throttle.WaitError{Key: "k", Cause: throttle.CauseQueue, Err: throttle.ErrQueueFull}, 503, "too many calls are waiting", 1},
		{&throttle.WaitError{Key: "k", Cause: throttle.CauseConcurrency, Err: throttle.ErrMaxWait}, 503, "concurrency", 1},
		{errStopping, 503, "being stopped", time.Second},
		{&deniedError{loops}, 508, "come back", 0},
		{op("dial", syscall.ECONNREFUSED), 502, "no connection: connection refused", 0},
		{op("dial", &net.DNSError{Err: "no such host", Name: "s3cr3t", IsNotFound: true}), 502, "no address: no such host", 0},
		{op("read", syscall.ECONNRESET), 502, "the connection broke: connection reset by peer", 0},
		{op("dial", timeoutError{}), 504, "no answer in time", 0},
		{fmt.Errorf("s3cr3t: %w", io.ErrUnexpectedEOF), 502, "ended before the answer", 0},
		{&tls.CertificateVerificationError{Err: errors.New("unknown authority")}, 502, "unknown authority", 0},
		{errors.New("malformed HTTP response \"s3cr3t\""), 502, "no valid answer", 0},
	} {
		a := answerTo(tt.err)
		if a.Status != tt.status || !strings.Contains(a.Message, tt.want) || a.after != tt.after || strings.Contains(a.Message, "s3cr3t") {
			t.Errorf("%v: %+v; want %d, %q", tt.err, a, tt.status, tt.want)
		}
	}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func TestRetryAfterIsWholeSeconds(t *testing.T) {
	for after, want := range map[time.Duration]string{0: "", 1: "1", time.Second: "1", time.Second + 1: "2", 90 * time.Minute: "5400", 1 << 62: "4611686019"} {
		w := httptest.NewRecorder()
		(&answer{Status: 503, after: after}).write(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if got := w.Header().Get("Retry-After"); got != want {
			t.Errorf("%v: Retry-After %q, want %q", after, got, want)
		}
	}
}

// A refused request of which nobody has read the body does no harm to the next.
func TestRefusedUnread(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	limits := transport.Limits{"/": {{Rate: 1e-3}}}
	r := start(t, Config{Transport: &transport.Transport{Limits: limits, MaxWait: 1}}, server)
	for i, w := range ways(t, r, server) {
		for n := range 5 {
			resp, err := w.client.Post(w.base, "text/plain", io.LimitReader(endlessly{}, 100_000))
			if body(t, resp, err); (resp.StatusCode == http.StatusOK) != (i+n == 0) {
				t.Errorf("%s: status %d", w.name, resp.StatusCode)
			}
		}
	}
	if strings.Contains(r.out.String(), "panic") {
		t.Error(r.out.String())
	}
}

// Nobody is told a thing that no server has said, in the place of an answer that
// was not waited for.
func TestNoAnswerForNobody(t *testing.T) {
	asked := make(chan struct{}, 1)
	both(t, Config{}, func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}, func(t *testing.T, w way) {
		conn, in := dial(t, w)
		fmt.Fprintf(conn, "GET %s/ HTTP/1.1\r\nHost: %s\r\n\r\n", w.target, w.addr)
		<-asked
		_ = conn.(*net.TCPConn).CloseWrite() // to net/http it is gone
		if got, err := io.ReadAll(in); err != nil || len(got) > 0 {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// A server that cannot be reached is no fault of the proxy, and is said so.
func TestUnreachable(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	r := start(t, Config{Transport: &transport.Transport{MaxAttempts: 1}}, gone.URL)
	for _, w := range ways(t, r, gone.URL) {
		resp, err := w.client.Get(w.base + "/s3cr3t?s3cr3t")
		if text := body(t, resp, err); resp.StatusCode != http.StatusBadGateway || text != "headway: no connection: connection refused\n" {
			t.Errorf("%s: status %d, %q", w.name, resp.StatusCode, text)
		}
	}
	host, _ := strings.CutPrefix(gone.URL, "http://")
	if got := r.out.String(); got != host+": no connection: connection refused\n" {
		t.Errorf("the log is %q", got) // once, of two calls
	}
}

// A status that net/http would not send is no valid answer.
func TestImpossibleStatus(t *testing.T) {
	both(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n")
	}, func(t *testing.T, w way) {
		resp, err := w.client.Get(w.base)
		if text := body(t, resp, err); resp.StatusCode != http.StatusBadGateway || !strings.Contains(text, "no valid answer") {
			t.Errorf("%s, %q", resp.Status, text)
		}
	})
}

package transport_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A faultyServer does to its clients, over real sockets, what servers and the
// networks before them do, each a part of the time.
type faultyServer struct {
	urls   []string // one over HTTP/1.1, one over HTTP/2, one that does not speak HTTP at times
	client *tls.Config
	conns  atomic.Int32
	close  func()

	mu     sync.Mutex
	did    map[string]int      // each fault, how often
	served map[string][]string // what was done to each call, by its ID
	meet   chan struct{}       // closed once as many as wanted have met
	met    int
}

func newFaultyServer(t *testing.T) *faultyServer {
	s := &faultyServer{did: map[string]int{}, served: map[string][]string{}, meet: make(chan struct{})}
	plain, secure := s.listen(), s.listen()
	secure.EnableHTTP2 = true
	plain.Start()
	secure.StartTLS()
	raw, rawConns := rawServer(t, s.garbage)
	s.urls = []string{plain.URL, secure.URL, raw}
	s.client = secure.Client().Transport.(*http.Transport).TLSClientConfig
	s.close = func() {
		plain.Close()
		secure.Close()
		eventually(t, func() bool { return rawConns.Load() == 0 })
	}
	return s
}

func (s *faultyServer) listen() *httptest.Server {
	srv := httptest.NewUnstartedServer(s)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.conns.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.conns.Add(-1)
		}
	}
	return srv
}

// A fault is one way to answer, and of how many in all.
type fault struct {
	name   string
	weight int
	do     func(http.ResponseWriter, *http.Request)
}

var faults = []fault{
	{"answer", 40, answerWell},
	{"garbage in the header", 4, answerGarbage},
	{"429 with Retry-After", 3, refuseFor(429)},
	{"429", 2, refuse(429)},
	{"503 with Retry-After", 2, refuseFor(503)},
	{"503", 2, refuse(503)},
	{"reset", 3, reset},
	{"slow body", 3, slowBody},
	{"truncated", 1, truncate(200)},
	{"429 truncated", 1, truncate(429)},
	{"503 truncated", 1, truncate(503)},
	{"endless", 1, endless},
	{"GOAWAY", 2, goAway},
	{"redirect", 2, redirectBadly},
	{"before the body", 2, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) }},
}

func (s *faultyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/together":
		s.together(r)
		return
	case "/twice":
		if s.note(r, "429") == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return
	}
	f := pick()
	s.note(r, f.name)
	if f.name != "before the body" {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	f.do(w, r)
}

func pick() fault {
	all := 0
	for _, f := range faults {
		all += f.weight
	}
	n := rand.IntN(all)
	for _, f := range faults {
		if n -= f.weight; n < 0 {
			return f
		}
	}
	panic("unreachable")
}

// note writes down what is done to a call, and returns how often it came.
func (s *faultyServer) note(r *http.Request, fault string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.Header.Get("X-Call")
	s.did[fault]++
	s.served[id] = append(s.served[id], fault)
	return len(s.served[id])
}

// together answers once all have come.
func (s *faultyServer) together(r *http.Request) {
	want, _ := strconv.Atoi(r.URL.RawQuery)
	s.mu.Lock()
	if s.met++; s.met == want {
		close(s.meet)
	}
	s.mu.Unlock()
	select {
	case <-s.meet:
	case <-r.Context().Done():
	}
}

func answerWell(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("RateLimit-Policy", `"soak";q=5000;w=1;burst=40`)
	w.Header().Set("RateLimit", fmt.Sprintf(`"soak";r=%d;t=1`, rand.IntN(40)))
	_, _ = w.Write(make([]byte, rand.IntN(20_000)))
}

func answerGarbage(w http.ResponseWriter, _ *http.Request) {
	values := []string{"NaN", "-5", "1e400", "99999999999999999999", `"a";q=0;w=0`, `"a";r=-1;t=-1`, `"soak";q=1;w=0;burst=-1`, "\xff\xfe", "", strings.Repeat("9,", 2000)}
	for _, name := range []string{"RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "Date"} {
		w.Header().Set(name, values[rand.IntN(len(values))])
	}
	_, _ = io.WriteString(w, "well")
}

func refuse(status int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write(make([]byte, rand.IntN(100_000))) // more than is worth keeping, at times
	}
}

func refuseFor(status int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", fmt.Sprintf("0.0%02d", rand.IntN(50)))
		refuse(status)(w, r)
	}
}

func reset(w http.ResponseWriter, _ *http.Request) {
	h, ok := w.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler) // HTTP/2 resets the stream
	}
	conn, _, err := h.Hijack()
	if err != nil {
		return
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

func slowBody(w http.ResponseWriter, r *http.Request) {
	for range 5 {
		_, _ = io.WriteString(w, "slow ")
		_ = http.NewResponseController(w).Flush()
		if !pause(r, 3*time.Millisecond) {
			return
		}
	}
}

func endless(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return // it has no body, and nobody would hear that the client has gone
	}
	for pause(r, time.Millisecond) {
		_, _ = io.WriteString(w, "more ")
		if http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}

// pause reports whether the client is still there after it.
func pause(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

func truncate(status int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "begin")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// goAway closes the connection after this answer, which over HTTP/2 is a GOAWAY
// while other calls are under way on it.
func goAway(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	answerWell(w, r)
}

func redirectBadly(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Location", "%zz:")
	w.WriteHeader(http.StatusFound)
}

// garbage answers in something that is not quite HTTP.
func (s *faultyServer) garbage(c net.Conn) {
	readRequest(c)
	s.mu.Lock()
	s.did["not HTTP"]++
	s.mu.Unlock()
	answers := []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nwell",
		"HTTP/1.1 429 Too Many\r\nRetry-After: 0.01\r\nContent-Length: 100\r\n\r\nshort",
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nwhich",
		"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"HTTP/9.9 abc\r\n\r\n", "\x16\x03\x01\x00", "",
	}
	_, _ = io.WriteString(c, answers[rand.IntN(len(answers))])
}

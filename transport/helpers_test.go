package transport_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/transport"
)

// still is a backoff whose delays are exact.
var still = backoff.Policy{Jitter: backoff.NoJitter}

// A script is a base RoundTripper that answers in turn, the last answer for
// ever, and notes when it was asked what.
type script struct {
	answers []func(*http.Request) (*http.Response, error)

	mu     sync.Mutex
	start  time.Time
	at     []time.Duration
	bodies []string
	closes int // CloseIdleConnections
}

func newScript(answers ...func(*http.Request) (*http.Response, error)) *script {
	return &script{answers: answers, start: time.Now()}
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		_ = req.Body.Close()
	}
	s.mu.Lock()
	n := min(len(s.at), len(s.answers)-1)
	s.at = append(s.at, time.Since(s.start))
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	return s.answers[n](req)
}

func (s *script) CloseIdleConnections() { s.closes++ }

func (s *script) hits() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.at)
}

func (s *script) wantAt(t *testing.T, want ...time.Duration) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.at, want) {
		t.Errorf("sent at %v, want %v", s.at, want)
	}
}

// A tracked body knows whether it was closed.
type tracked struct {
	io.Reader
	closed int
}

func (b *tracked) Close() error {
	b.closed++
	return nil
}

// answer makes an answer with the given header fields, in name, value pairs.
func answer(status int, body string, fields ...string) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i+1 < len(fields); i += 2 {
			h.Add(fields[i], fields[i+1])
		}
		return &http.Response{
			Status: http.StatusText(status), StatusCode: status, Header: h, Request: req,
			Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)),
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
}

func fail(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func get(t testing.TB, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func post(t *testing.T, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func seconds(n ...float64) []time.Duration {
	out := make([]time.Duration, len(n))
	for i, v := range n {
		out[i] = time.Duration(v * float64(time.Second))
	}
	return out
}

// do sends the request and reads the answer to its end.
func do(t *testing.T, tr *transport.Transport, req *http.Request) (int, string) {
	t.Helper()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(body)
}

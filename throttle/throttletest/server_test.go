package throttletest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
)

func get(t testing.TB, client *http.Client, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp
}

// The whole of it in a bubble: the calls go through net/http on both sides, time
// is virtual, and at the end nothing is left that would keep the bubble.
func TestMemoryServer(t *testing.T) {
	bubble(t, "sequence", func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1, Burst: 2})
		start := time.Now()
		var codes []int
		for range 5 {
			codes = append(codes, get(t, srv.Client(), srv.URL).StatusCode)
			time.Sleep(500 * time.Millisecond)
		}
		if got, want := fmt.Sprint(codes), "[200 200 200 429 200]"; got != want {
			t.Errorf("statuses = %s, want %s", got, want)
		}
		for n, a := range srv.Arrivals() {
			if got, want := a.At.Sub(start), time.Duration(n)*500*time.Millisecond; got != want {
				t.Errorf("call %d arrived at %v, want %v", n, got, want)
			}
		}
		if got := srv.Connections(); got != 1 {
			t.Errorf("%d connections, want 1", got)
		}
	})
}

// A client that paces itself is as fast as the limit allows, and is not refused:
// the test of the package doc, with a client that is easy to believe.
func TestPacedClient(t *testing.T) {
	bubble(t, "105 calls", func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 10, Burst: 5})
		start := time.Now()
		for n := range 105 {
			if n >= 5 {
				time.Sleep(100 * time.Millisecond)
			}
			get(t, srv.Client(), srv.URL)
		}
		if n := srv.Refused(); n != 0 {
			t.Errorf("the server refused %d calls, want 0", n)
		}
		if took, best := time.Since(start), srv.Bound(105); took != best || best != 10*time.Second {
			t.Errorf("105 calls took %v, Bound is %v, want 10s", took, best)
		}
	})
}

// A Transport of the user's own reaches the server by any name, and need not be
// cleaned up.
func TestMemoryServerWithOwnTransport(t *testing.T) {
	bubble(t, "any host", func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1, Key: func(r *http.Request) string { return r.Host }})
		client := &http.Client{Transport: &http.Transport{DialContext: srv.DialContext}}
		for _, url := range []string{"http://api.example.com/a", "http://other.example.com:8080/b", srv.URL} {
			if got := get(t, client, url).StatusCode; got != 200 {
				t.Errorf("status of %s = %d, want 200", url, got)
			}
		}
		if got := srv.Arrivals()[1].Key; got != "other.example.com:8080" {
			t.Errorf("key of the second call = %q", got)
		}
		if got := srv.Connections(); got != 3 {
			t.Errorf("%d connections, want 3, one a host", got)
		}
	})
}

// Calls at the same instant, on as many connections, are all answered.
func TestMemoryServerConcurrent(t *testing.T) {
	bubble(t, "20 at once", func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1, Burst: 5})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { get(t, srv.Client(), srv.URL) })
		}
		wg.Wait()
		if srv.Admitted() != 5 || srv.Refused() != 15 {
			t.Errorf("%d admitted, %d refused, want 5 and 15", srv.Admitted(), srv.Refused())
		}
	})
}

// An upload that is refused before it is read does not lock up the pipe.
func TestMemoryServerRefusesUpload(t *testing.T) {
	bubble(t, "1 MiB", func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1, Spent: 1})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(strings.Repeat("x", 1<<20)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 429 {
			t.Errorf("status = %d, want 429", resp.StatusCode)
		}
	})
}

// A client that does not wait for its answer leaves nothing behind either.
func TestMemoryServerClientGivesUp(t *testing.T) {
	bubble(t, "timeout", func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{
			Rate:    1,
			Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		})
		client := srv.Client()
		client.Timeout = time.Second
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if resp, err := client.Do(req); !errors.Is(err, context.DeadlineExceeded) {
			if err == nil {
				resp.Body.Close()
			}
			t.Errorf("Do: %v, want context.DeadlineExceeded", err)
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("gave up after %v, want 1s", got)
		}
		if got := srv.Admitted(); got != 1 {
			t.Errorf("%d admitted, want 1: the server cannot know", got)
		}
	})
}

// A handler may break the connection; the client sees an error, and the server
// goes on.
func TestScriptBreaksTheConnection(t *testing.T) {
	bubble(t, "abort", func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1})
		srv.Script(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := srv.Client().Do(req); err == nil {
			resp.Body.Close()
			t.Errorf("status = %d, want an error", resp.StatusCode)
		}
		if got := get(t, srv.Client(), srv.URL).StatusCode; got != 200 {
			t.Errorf("status after it = %d, want 200", got)
		}
	})
}

// A closed server cannot be reached.
func TestMemoryServerDial(t *testing.T) {
	bubble(t, "closed", func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1})
		srv.Close()
		if _, err := srv.DialContext(t.Context(), "tcp", "x:80"); !errors.Is(err, net.ErrClosed) {
			t.Errorf("DialContext of a closed server: %v, want net.ErrClosed", err)
		}
	})
}

// On a real socket, with clients in parallel. The limit gives nothing back while
// the test runs, so the count is exact.
func TestServer(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 1e-6, Burst: 50})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				get(t, srv.Client(), srv.URL+"/path")
			}
		})
	}
	wg.Wait()
	if srv.Admitted() != 50 || srv.Refused() != 150 {
		t.Errorf("%d admitted, %d refused, want 50 and 150", srv.Admitted(), srv.Refused())
	}
	arrivals := srv.Arrivals()
	for n, a := range arrivals {
		if a.Admitted != (n < 50) || a.Path != "/path" || n > 0 && a.At.Before(arrivals[n-1].At) {
			t.Errorf("arrival %d = %+v, want admitted if under 50, in order of time", n, a)
		}
	}
	if got := srv.Connections(); got < 1 || got > 200 {
		t.Errorf("%d connections, want 1 to 200", got)
	}
	if !strings.HasPrefix(srv.URL, "http://127.0.0.1:") && !strings.HasPrefix(srv.URL, "http://[::1]:") {
		t.Errorf("URL = %s, want one on loopback", srv.URL)
	}
}

// The clients of a real server reach it by any name too.
func TestServerByAnyName(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 1})
	if got := get(t, srv.Client(), "http://api.example.com/v1").StatusCode; got != 200 {
		t.Errorf("status = %d, want 200", got)
	}
}

// A recorder notes how a test would have failed.
type recorder struct {
	testing.TB
	fatal, failed string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.failed = fmt.Sprint(args...) }
func (r *recorder) Fatal(args ...any) {
	r.fatal = fmt.Sprint(args...)
	panic(r)
}

func TestServersFailTheTest(t *testing.T) {
	for name, start := range map[string]func(testing.TB, throttletest.Config) *throttletest.Server{
		"socket": throttletest.NewServer, "memory": throttletest.NewMemoryServer,
	} {
		rec := &recorder{TB: t}
		func() {
			defer func() { _ = recover() }()
			start(rec, throttletest.Config{})
		}()
		if !strings.Contains(rec.fatal, "Config.Rate") {
			t.Errorf("%s: Fatal(%q), want the field named", name, rec.fatal)
		}
		srv := start(rec, throttletest.Config{Rate: 1})
		srv.SetLimit(-1, 1)
		if !strings.Contains(rec.failed, "Config.Rate") {
			t.Errorf("%s: Error(%q), want the field named", name, rec.failed)
		}
	}
}

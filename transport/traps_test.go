package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

const api = "http://api.example.com/v1/things"

// The traps of leaving all of a call to go-retryablehttp, one by one.

func TestRequestIsNeverMutated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "1"), answer(200, "ok"))
		tr := &transport.Transport{Base: base, Backoff: still}
		req := post(t, api, "payload")
		req.Header.Set("X-Mine", "1")
		before, body := *req, req.Body
		header := req.Header.Clone()
		if status, _ := do(t, tr, req); status != 200 {
			t.Fatalf("status %d", status)
		}
		if req.Body != body || req.RequestURI != before.RequestURI || req.URL != before.URL || len(req.Header) != len(header) {
			t.Error("the caller's request was changed")
		}
		if want := []string{"payload", "payload"}; !slices.Equal(base.bodies, want) {
			t.Errorf("bodies %q, want %q", base.bodies, want)
		}
	})
}

func TestBodyIsStreamedAndClosed(t *testing.T) {
	body := &tracked{Reader: strings.NewReader("stream")}
	req := post(t, api, "")
	req.Body, req.GetBody, req.ContentLength = body, nil, -1
	base := newScript(answer(429, "busy", "Retry-After", "1"))
	status, got := do(t, &transport.Transport{Base: base}, req)
	if status != 429 || got != "busy" || base.hits() != 1 || base.bodies[0] != "stream" {
		t.Errorf("status %d %q after %d attempts: a body that cannot be had again is sent once", status, got, base.hits())
	}
	if body.closed == 0 {
		t.Error("the body was not closed")
	}
}

// Nothing of a pipe is held back until its end.
func TestPipeIsSentAsItComes(t *testing.T) {
	first := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := make([]byte, 5)
		_, _ = io.ReadFull(r.Body, p)
		first <- string(p)
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer srv.Close()
	pr, pw := io.Pipe()
	go func() {
		_, _ = pw.Write([]byte("early"))
		if got := <-first; got != "early" {
			t.Errorf("server read %q", got)
		}
		_ = pw.Close()
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, pr)
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := do(t, &transport.Transport{Base: srv.Client().Transport}, req); status != 200 {
		t.Errorf("status %d", status)
	}
}

// A file is sent from where it stands, not from its beginning.
func TestFileIsSentFromItsOffset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("HEADERpayload"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(6, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	req := post(t, api, "")
	req.Body, req.GetBody = f, nil
	base := newScript(answer(503, ""))
	do(t, &transport.Transport{Base: base}, req)
	if base.bodies[0] != "payload" {
		t.Errorf("sent %q", base.bodies[0])
	}
}

func TestLastRefusalComesBackWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, `{"error":"slow down"}`, "Retry-After", "1", "X-Trace", "7"))
		resp, err := (&transport.Transport{Base: base, MaxAttempts: 3, Backoff: still}).RoundTrip(get(t, api))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 429 || string(body) != `{"error":"slow down"}` || resp.Header.Get("X-Trace") != "7" {
			t.Errorf("got %d %q %v, %v", resp.StatusCode, body, resp.Header, err)
		}
		base.wantAt(t, seconds(0, 1, 2)...)
	})
}

// A context that ends just as the answer comes: a response or an error, never
// both, and no body left open.
func TestNeverResponseAndError(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	var bodies []*tracked
	base := newScript(func(req *http.Request) (*http.Response, error) {
		if len(bodies) == 1 {
			cancel(gone)
		}
		b := &tracked{Reader: strings.NewReader("x")}
		bodies = append(bodies, b)
		return &http.Response{StatusCode: 503, Header: http.Header{}, Body: b, Request: req}, nil
	})
	tr := &transport.Transport{Base: base}
	tr.Backoff.Min, tr.Backoff.Max = 1, 1
	resp, err := tr.RoundTrip(get(t, api).WithContext(ctx))
	if (resp == nil) == (err == nil) {
		t.Fatalf("RoundTrip = %v, %v", resp, err)
	}
	if resp != nil {
		_ = resp.Body.Close()
	}
	for i, b := range bodies {
		if b.closed == 0 {
			t.Errorf("body %d was left open", i)
		}
	}
}

// When the body cannot be had again after all, the error is typed and alone.
func TestGetBodyFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		req := post(t, api, "x")
		req.GetBody = func() (io.ReadCloser, error) { return nil, boom }
		base := newScript(answer(429, "", "Retry-After", "1"), answer(200, ""))
		tr := &transport.Transport{Base: base, MaxConcurrent: 1}
		if resp, err := tr.RoundTrip(req); resp != nil || !errors.Is(err, boom) {
			t.Fatalf("RoundTrip = %v, %v", resp, err)
		}
		if status, _ := do(t, tr, get(t, api)); status != 200 {
			t.Errorf("status %d: the permit was not given back", status)
		}
	})
}

// Redirects are the caller's to follow, also during a retry.
func TestRedirectsAreNotFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "1"), answer(302, "", "Location", "/elsewhere"))
		status, _ := do(t, &transport.Transport{Base: base}, get(t, api))
		if status != 302 || base.hits() != 2 {
			t.Errorf("status %d after %d attempts, want the 302", status, base.hits())
		}
	})
}

// What we refuse ourselves is final: it is not a fault to try again after.
func TestLocalRefusalIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		var events []transport.Event
		tr := &transport.Transport{
			Base: base, MaxWait: time.Second,
			Limits:  transport.Limits{"api.example.com/": {{Rate: 0.1}}},
			Observe: func(_ context.Context, e transport.Event) { events = append(events, e) },
		}
		do(t, tr, get(t, api))
		events = nil // of the call that was sent
		body := &tracked{Reader: strings.NewReader("x")}
		req := post(t, api, "")
		req.Body = body
		_, err := tr.RoundTrip(req)
		we, ok := errors.AsType[*throttle.WaitError](err)
		if !ok || we.Wait != 10*time.Second || we.Key != "api.example.com" || body.closed == 0 {
			t.Errorf("RoundTrip = %v (body closed %d times)", err, body.closed)
		}
		if len(events) != 1 || events[0].Kind != transport.EventRefusedLocally || events[0].Wait != 10*time.Second {
			t.Errorf("events %+v", events)
		}
		if base.hits() != 1 {
			t.Errorf("%d sent, want 1", base.hits())
		}
	})
}

// http.Client puts one url.Error around ours, through which Timeout is seen.
func TestErrorIsWrappedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reset := errors.New("read: reset")
		base := newScript(answer(429, "", "Retry-After", "1"), fail(reset))
		client := &http.Client{Transport: &transport.Transport{Base: base}}
		_, err := client.Do(get(t, api))
		ue, ok := errors.AsType[*url.Error](err)
		if !ok || !errors.Is(ue.Err, reset) {
			t.Errorf("Do = %#v, want one url.Error around the cause", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: &transport.Transport{
			Base: newScript(answer(200, "")), Limits: transport.Limits{"/": {{Rate: 0.001}}},
		}}
		resp, err := client.Do(get(t, api))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		_, err = client.Do(get(t, api))
		if ue, ok := errors.AsType[*url.Error](err); !ok || !ue.Timeout() || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Do = %v, want a timeout", err)
		}
	})
}

// One call that gives up closes nobody's connections; the owner can.
func TestIdleConnectionsAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(503, ""))
		client := &http.Client{Transport: &transport.Transport{Base: base}}
		resp, err := client.Do(get(t, api))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if base.closes != 0 {
			t.Errorf("idle connections closed %d times by a call", base.closes)
		}
		if client.CloseIdleConnections(); base.closes != 1 {
			t.Error("CloseIdleConnections does not reach Base")
		}
	})
}

// Retry-After in all its forms, and the ceiling: what is beyond it goes back as
// the answer, at once, and is never shortened.
func TestRetryAfterForms(t *testing.T) {
	day := "Sat, 01 Jan 2000 00:00:42 GMT" // a bubble begins at 2000-01-01 00:00:00
	for value, want := range map[string][]time.Duration{
		"3":                   seconds(0, 3),
		"0.314":               seconds(0, 0.314),
		"2.0":                 seconds(0, 2),
		day:                   seconds(0, 42),
		"60":                  seconds(0, 60),
		"61":                  seconds(0),
		"3600":                seconds(0),
		"9223372037":          seconds(0), // shut out: nothing to wait for
		"9223372036854775807": seconds(0),
		"0":                   seconds(0, 0.1), // never a hot loop
		"-5":                  seconds(0, 0.1),
		"soon":                seconds(0, 0.1),
		"":                    seconds(0, 0.1),
	} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(answer(429, "", "Retry-After", value), answer(200, ""))
			do(t, &transport.Transport{Base: base, Backoff: still}, get(t, api))
			if !slices.Equal(base.at, want) {
				t.Errorf("Retry-After %q: sent at %v, want %v", value, base.at, want)
			}
		})
	}
}

// An error page beyond 4 KiB does not cost a connection an attempt.
func TestConnectionIsReusedAfterRefusal(t *testing.T) {
	var hits, conns atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if hits.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write(make([]byte, 10_000))
		}
	}))
	srv.Config.ConnState = countNew(&conns)
	srv.Start()
	defer srv.Close()
	tr := &transport.Transport{Base: srv.Client().Transport}
	tr.Backoff.Min, tr.Backoff.Max = 1, 1
	for range 20 {
		if status, _ := do(t, tr, get(t, srv.URL)); status != 200 {
			t.Fatalf("status %d", status)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections for 20 calls and 20 refusals, want 1", n)
	}
}

// A deadline that comes before the wait ends is looked at before the wait.
func TestDeadlineBeforeRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		base := newScript(answer(429, "intact", "Retry-After", "30"))
		start := time.Now()
		status, body := do(t, &transport.Transport{Base: base}, get(t, api).WithContext(ctx))
		if status != 429 || body != "intact" || time.Since(start) != 0 {
			t.Errorf("%d %q after %v, want the 429 at once", status, body, time.Since(start))
		}
	})
}

// What may have been acted on is sent again only if that is safe.
func TestWhatIsSentAgain(t *testing.T) {
	bad, reset := answer(502, ""), fail(io.ErrUnexpectedEOF)
	for _, tt := range []struct {
		name, method, key string
		first             func(*http.Request) (*http.Response, error)
		hits              int
	}{
		{"POST 502", "POST", "", bad, 1},
		{"POST 502 with a key", "POST", "k", bad, 2},
		{"POST 429", "POST", "", answer(429, ""), 2},
		{"PATCH 503", "PATCH", "", answer(503, ""), 1},
		{"POST 503 with Retry-After", "POST", "", answer(503, "", "Retry-After", "1"), 1},
		{"GET 502", "GET", "", bad, 2},
		{"PUT 500", "PUT", "", answer(500, ""), 2},
		{"GET 501", "GET", "", answer(501, ""), 1},
		{"GET 404", "GET", "", answer(404, ""), 1},
		{"GET 403", "GET", "", answer(403, ""), 1},
		{"GET reset", "GET", "", reset, 2},
		{"POST reset", "POST", "", reset, 1},
		{"GET certificate", "GET", "", fail(errors.New("x509: certificate signed by unknown authority")), 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(tt.first, answer(200, ""))
			req := post(t, api, "x")
			req.Method = tt.method
			if tt.key != "" {
				req.Header.Set("Idempotency-Key", tt.key)
			}
			resp, err := (&transport.Transport{Base: base}).RoundTrip(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			if base.hits() != tt.hits {
				t.Errorf("%s: sent %d times, want %d", tt.name, base.hits(), tt.hits)
			}
		})
	}
}

func TestBehindReverseProxy(t *testing.T) {
	var hits atomic.Int32
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if hits.Add(1) == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer upstream.Close()
	target, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	tr := &transport.Transport{Base: upstream.Client().Transport}
	tr.Backoff.Min, tr.Backoff.Max = 1, 1
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: tr,
	})
	defer proxy.Close()
	if status, _ := do(t, &transport.Transport{MaxAttempts: 1}, get(t, proxy.URL)); status != 200 || hits.Load() != 2 {
		t.Errorf("status %d after %d attempts, want 200 after 2", status, hits.Load())
	}
}

// Neither a jar nor a timeout of an inner client acts on the later attempts.
func TestNoInnerClientActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(429, "", "Retry-After", "50", "Set-Cookie", "a=b"), func(req *http.Request) (*http.Response, error) {
			if len(req.Header["Cookie"]) > 0 || len(req.Header["Referer"]) > 0 {
				t.Errorf("the second attempt has fields of its own: %v", req.Header)
			}
			if _, ok := req.Context().Deadline(); ok {
				t.Error("the second attempt has a deadline of its own")
			}
			return answer(200, "")(req)
		})
		do(t, &transport.Transport{Base: base}, get(t, api))
		if base.hits() != 2 {
			t.Errorf("%d attempts", base.hits())
		}
	})
}

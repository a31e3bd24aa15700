package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// A permit covers the work, to the end of the body, however it ends.
func TestMaxConcurrentLastsToTheEndOfTheBody(t *testing.T) {
	for name, end := range map[string]func(*http.Response){
		"read": func(r *http.Response) { _, _ = io.Copy(io.Discard, r.Body) },
		"closed": func(r *http.Response) {
			_ = r.Body.Close()
			_ = r.Body.Close() // once more frees no second permit
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(answer(200, "stream"))
			tr := &transport.Transport{Base: base, MaxConcurrent: 1}
			first, err := tr.RoundTrip(get(t, api))
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					resp, err := tr.RoundTrip(get(t, api))
					if err != nil {
						t.Error(err)
						return
					}
					time.Sleep(time.Second)
					_ = resp.Body.Close()
				})
			}
			time.Sleep(10 * time.Second)
			end(first)
			wg.Wait()
			if base.wantAt(t, seconds(0, 10, 11)...); t.Failed() {
				t.Log(name)
			}
		})
	}
}

// An error, a panic and a refusal give the permit back as well; and while a
// call sleeps before its next attempt it holds none.
func TestPermitsComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(
			fail(io.ErrUnexpectedEOF),
			func(*http.Request) (*http.Response, error) { panic("base") },
			answer(429, "busy", "Retry-After", "6"),
			answer(200, "ok"),
		)
		tr := &transport.Transport{Base: base, MaxConcurrent: 1, Backoff: still, Key: func(r *http.Request) string { return r.URL.Path }}
		if _, err := tr.RoundTrip(post(t, api, "x")); err == nil {
			t.Error("no error")
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic of Base was swallowed")
				}
			}()
			_, _ = tr.RoundTrip(get(t, api))
		}()
		if status, body := do(t, tr, get(t, api)); status != 200 || body != "ok" {
			t.Errorf("%d %q", status, body)
		}
		base.wantAt(t, seconds(0, 0, 0, 6)...)
	})
}

// A wait for a permit ends with MaxWait, and says what it waited for.
func TestWaitForAPermitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &transport.Transport{Base: newScript(answer(200, "x")), MaxConcurrent: 1, MaxWait: 3 * time.Second}
		resp, err := tr.RoundTrip(get(t, api))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = tr.RoundTrip(get(t, api))
		if we, ok := errors.AsType[*throttle.WaitError](err); !ok || we.Cause != throttle.CauseConcurrency || time.Since(start) != 3*time.Second {
			t.Errorf("RoundTrip = %v after %v", err, time.Since(start))
		}
		_ = resp.Body.Close()
	})
}

// After a switch of protocols the body can be written to.
func TestUpgradedBodyIsAWriter(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_ = rw.Flush()
		line, _ := rw.ReadString('\n')
		_, _ = rw.WriteString(line)
		_ = rw.Flush()
	}))
	defer srv.Close()
	for _, limit := range []int{0, 1} {
		req := get(t, srv.URL)
		req.Header.Set("Connection", "Upgrade")
		req.Header.Set("Upgrade", "echo")
		resp, err := (&transport.Transport{Base: srv.Client().Transport, MaxConcurrent: limit}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		w, ok := resp.Body.(io.Writer)
		if !ok {
			t.Fatalf("MaxConcurrent %d: the body is no io.Writer", limit)
		}
		_, _ = io.WriteString(w, "hello\n")
		got, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if string(got) != "hello\n" {
			t.Errorf("MaxConcurrent %d: echo %q", limit, got)
		}
	}
}

// zeros is a body of n bytes that is nowhere in memory.
func zeros(n int64) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(zeroReader{}, n)), nil
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// refuseTwice reads whole uploads, and refuses two of three.
func refuseTwice(seen *atomic.Int64, peak *atomic.Uint64) http.Handler {
	var calls atomic.Int32
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, 32<<10)
		for i := 0; ; i++ {
			n, err := r.Body.Read(buf)
			seen.Add(int64(n))
			if i%512 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak.Store(max(peak.Load(), m.HeapAlloc))
			}
			if err != nil {
				break
			}
		}
		if calls.Add(1)%3 != 0 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
}

// upload sends n bytes to a server that refuses twice, and returns how far the
// heap grew.
func upload(tb testing.TB, n int64) uint64 {
	var seen atomic.Int64
	var peak atomic.Uint64
	srv := httptest.NewServer(refuseTwice(&seen, &peak))
	defer srv.Close()
	tr := &transport.Transport{Base: srv.Client().Transport}
	tr.Backoff.Min, tr.Backoff.Max = 1, 1
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, srv.URL, nil)
	if err != nil {
		tb.Fatal(err)
	}
	req.GetBody, req.ContentLength = zeros(n), n
	req.Body, _ = req.GetBody()
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, err := tr.RoundTrip(req)
	if err != nil {
		tb.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || seen.Load() != 3*n {
		tb.Fatalf("status %d, %d bytes came, want 200 and %d", resp.StatusCode, seen.Load(), 3*n)
	}
	return peak.Load() - min(peak.Load(), before.HeapAlloc)
}

// An upload that is refused twice is sent three times, and held in memory never.
func TestUploadIsNotHeldInMemory(t *testing.T) {
	if grew := upload(t, 32<<20); grew > 2<<20 {
		t.Errorf("the heap grew by %d KiB for 32 MiB", grew>>10)
	}
}

func BenchmarkUpload128MiBRefusedTwice(b *testing.B) {
	var grew uint64
	for b.Loop() {
		grew = max(grew, upload(b, 128<<20))
	}
	b.ReportMetric(float64(grew)/(1<<20), "peak-MiB")
}

// A header that a hostile server would send changes nothing for the worse.
func TestHostileHeaders(t *testing.T) {
	for _, value := range []string{
		"NaN", "Inf", "-5", "1e400", "0x1p-1074", "99999999999999999999", strings.Repeat("9", 1<<20), "\x00\xff", "10, 10;w=0",
		`"a";q=0;w=0`, `"a";r=-1;t=-1`, `"a";q=9999999999999;w=1`,
	} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(answer(200, "",
				"RateLimit", value, "RateLimit-Policy", value, "RateLimit-Limit", value, "RateLimit-Remaining", value, "RateLimit-Reset", value,
				"X-RateLimit-Limit", value, "X-RateLimit-Remaining", value, "X-RateLimit-Reset", value, "Retry-After", value,
				"X-RateLimit-Replenish-Rate", value, "X-RateLimit-Burst-Capacity", value))
			tr := &transport.Transport{Base: base, MaxWait: time.Minute}
			start := time.Now()
			for range 3 {
				resp, err := tr.RoundTrip(get(t, api))
				if we, ok := errors.AsType[*throttle.WaitError](err); ok && we.Wait > 0 {
					continue // it may slow us down
				}
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
			}
			if took := time.Since(start); took > 3*time.Minute {
				t.Errorf("%.20q: three calls took %v", value, took)
			}
		})
	}
}

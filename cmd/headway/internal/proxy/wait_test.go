package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

const proxyURL = "http://proxy.test"

// A bubble is a client, a proxy and a limited server in virtual time.
type bubble struct {
	*Proxy
	server *throttletest.Server
	client *http.Client
}

func inBubble(t *testing.T, c throttletest.Config, tr *transport.Transport, do func(t *testing.T, b bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := bubble{server: throttletest.NewMemoryServer(t, c)}
		tr.Base = b.server.Client().Transport
		b.Proxy = New(Config{Transport: tr, Names: []string{"proxy.test"}})
		// It is the server in memory that is of use here: its limit is none.
		front := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1e9, Burst: 1e6, Dialect: throttletest.Nothing, Handler: b.Proxy})
		b.servers = append(b.servers, front.Config)
		through, _ := url.Parse(proxyURL)
		b.client = front.Client()
		b.client.Transport.(*http.Transport).Proxy = http.ProxyURL(through)
		do(t, b)
	})
}

// get calls the server through the proxy.
func (b *bubble) get(ctx context.Context, t *testing.T, header ...string) (*http.Response, string) {
	return b.send(ctx, t, http.MethodGet, nil, header...)
}

// send returns no response if ctx ended first.
func (b *bubble) send(ctx context.Context, t *testing.T, method string, content io.Reader, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, b.server.URL, content)
	if err != nil {
		t.Error(err)
		return nil, ""
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := b.client.Do(req)
	if ctx.Err() != nil {
		return nil, ""
	}
	if err != nil {
		t.Error(err)
		return &http.Response{}, ""
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp, string(data)
}

// A hundred clients at once are let go as the limit allows, and none is refused.
func TestPaced(t *testing.T) {
	inBubble(t, throttletest.Config{Rate: 10, Burst: 10}, &transport.Transport{}, func(t *testing.T, b bubble) {
		start := time.Now()
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if resp, _ := b.get(t.Context(), t); resp.StatusCode != http.StatusOK {
					t.Errorf("status %d", resp.StatusCode)
				}
			})
		}
		wg.Wait()
		if n := b.server.Refused(); n != 0 {
			t.Errorf("%d calls were refused, want 0", n)
		}
		if took, best := time.Since(start), b.server.Bound(100); took > best+best/100 {
			t.Errorf("100 calls took %v, the limit allows %v", took, best)
		}
	})
}

// What would have to wait too long is refused here, in the words of HTTP.
func TestRefusedHere(t *testing.T) {
	limits := transport.Limits{"/": {{Rate: 0.1, Burst: 1}}}
	inBubble(t, throttletest.Config{Rate: 100}, &transport.Transport{Limits: limits, MaxWait: 5 * time.Second}, func(t *testing.T, b bubble) {
		b.get(t.Context(), t)
		time.Sleep(500 * time.Millisecond)
		resp, text := b.get(t.Context(), t)
		const want = "headway: memory.test: not sent: wait of 9.5s for the limit: longer than the longest wait allowed\n"
		if text != want || resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "10" ||
			resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.HasPrefix(resp.Header.Get("Proxy-Status"), "headway; ") {
			t.Errorf("status %d, %v, %q", resp.StatusCode, resp.Header, text)
		}
		resp, text = b.get(t.Context(), t, "Accept", "application/json")
		var got answer
		if err := json.Unmarshal([]byte(text), &got); err != nil || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v: %q", err, text)
		}
		if got.Key != "memory.test" || got.Cause != throttle.CauseLimit || got.Wait != 9.5 || got.Error != "http_request_denied" {
			t.Errorf("%+v", got)
		}
		if n := len(b.server.Arrivals()); n != 1 {
			t.Errorf("%d calls arrived, want 1", n)
		}
	})
}

// endless gives no answer for as long as anybody waits for it.
var endless = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })

// Where there is no room here, that is said as 503.
func TestNoRoom(t *testing.T) {
	for _, tr := range []*transport.Transport{
		{MaxConcurrent: 1, MaxWait: time.Second},
		{MaxConcurrent: 1, MaxQueue: 1},
	} {
		inBubble(t, throttletest.Config{Rate: 1000, Burst: 1000, Handler: endless}, tr, func(t *testing.T, b bubble) {
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			defer wg.Wait()
			defer cancel()
			wg.Go(func() { b.get(ctx, t) })
			synctest.Wait()
			if tr.MaxQueue > 0 {
				wg.Go(func() { b.get(ctx, t) })
				synctest.Wait()
			}
			resp, text := b.get(t.Context(), t)
			if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || after < 1 || resp.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("status %d, %v, %q", resp.StatusCode, resp.Header, text)
			}
		})
	}
}

// Calls whose clients leave are not sent, and those behind them move up: also if
// they have a body, as long as it is short.
func TestClientLeaves(t *testing.T) {
	limits := transport.Limits{"/": {{Rate: 1, Burst: 1}}}
	inBubble(t, throttletest.Config{Rate: 1000, Burst: 1000}, &transport.Transport{Limits: limits}, func(t *testing.T, b bubble) {
		b.get(t.Context(), t)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { b.send(ctx, t, http.MethodPost, strings.NewReader(strings.Repeat("x", i))) })
		}
		synctest.Wait()
		if n := b.Transport.Budgets()[0].Waiting; n != 20 {
			t.Errorf("%d calls wait, want 20", n)
		}
		start := time.Now()
		cancel()
		synctest.Wait()
		b.get(t.Context(), t)
		if took := time.Since(start); took != time.Second {
			t.Errorf("the call behind them took %v, want 1s", took)
		}
		wg.Wait()
		if n := len(b.server.Arrivals()); n != 2 {
			t.Errorf("%d calls arrived, want 2", n)
		}
	})
}

// When the proxy is stopped, the calls under way end, and those that wait are told.
func TestShutdown(t *testing.T) {
	slow := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush()
		time.Sleep(10 * time.Second)
		_, _ = io.WriteString(w, "done")
	})
	limits := transport.Limits{"/": {{Rate: 0.02, Burst: 2}}}
	inBubble(t, throttletest.Config{Rate: 1000, Burst: 1000, Handler: slow}, &transport.Transport{Limits: limits}, func(t *testing.T, b bubble) {
		start := time.Now()
		var ended, told int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 2 + 1 {
			wg.Go(func() {
				resp, text := b.get(t.Context(), t)
				mu.Lock()
				defer mu.Unlock()
				switch took := time.Since(start); {
				case resp.StatusCode == http.StatusOK && text == "done" && took == 10*time.Second:
					ended++
				case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "1" && took == 2*time.Second:
					told++
				default:
					t.Errorf("status %d, %q after %v", resp.StatusCode, text, took)
				}
			})
		}
		time.Sleep(2 * time.Second)
		if err := b.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		// The server's own way to wait looks twice a second at most.
		if took := time.Since(start); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("it took %v, want 10s", took)
		}
		wg.Wait()
		if ended != 2 || told != 1 {
			t.Errorf("%d calls ended and %d were told, want 2 and 1", ended, told)
		}
	})
}

// Calls that do not end in time are cut off, and the caller is told how many.
func TestShutdownCuts(t *testing.T) {
	inBubble(t, throttletest.Config{Rate: 1000, Burst: 1000, Handler: endless}, &transport.Transport{MaxAttempts: 1}, func(t *testing.T, b bubble) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if resp, err := b.client.Get(b.server.URL); err == nil {
					resp.Body.Close()
					t.Errorf("status %d", resp.StatusCode)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cut, ok := errors.AsType[*CutError](b.Shutdown(ctx))
		if !ok || cut.Calls != 3 {
			t.Errorf("%v, want 3 calls that were cut off", cut)
		}
		wg.Wait()
	})
}

// A refusal that is waited out when the proxy is stopped is not waited out to its
// end.
func TestShutdownEndsRetries(t *testing.T) {
	inBubble(t, throttletest.Config{Rate: 0.02, Burst: 1, Spent: 1, Dialect: throttletest.Nothing}, &transport.Transport{}, func(t *testing.T, b bubble) {
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			resp, _ := b.get(t.Context(), t)
			if took := time.Since(start); resp.StatusCode != http.StatusServiceUnavailable || took != time.Second {
				t.Errorf("status %d after %v, want 503 after 1s", resp.StatusCode, took)
			}
		})
		time.Sleep(time.Second)
		if err := b.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}

package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
)

// The tests in the files scenarios_* are public bug reports of other rate
// limiters and retriers, each as a small scenario with the right numbers. The
// report stands above its test.

// network is how much later than the interval a call may go until it is known
// that the network adds no delay of its own.
const network = 50 * time.Millisecond

// attempt sends the request, and ends the answer unread.
func attempt(rt http.RoundTripper, req *http.Request) (int, error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func contextWithTimeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}

// crowd starts n calls, each once those before it wait or have ended.
func crowd(wg *sync.WaitGroup, n int, call func(i int)) {
	for i := range n {
		wg.Go(func() { call(i) })
		synctest.Wait()
	}
}

// A tally counts by name, from several goroutines.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

// add counts one more, and returns how many there are.
func (c *tally) add(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = make(map[string]int)
	}
	c.n[name]++
	return c.n[name]
}

func (c *tally) of(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[name]
}

// wantLocal checks that the call was refused here, and for what wait.
func wantLocal(t *testing.T, err error, cause throttle.Cause, wait time.Duration) {
	t.Helper()
	we, ok := errors.AsType[*throttle.WaitError](err)
	switch {
	case !ok:
		t.Errorf("error %v, want a *throttle.WaitError", err)
	case we.Cause != cause || we.Wait != wait || !we.At.Equal(time.Now().Add(wait)):
		t.Errorf("%v until %v, want a wait of %v for the %s", we, we.At, wait, cause)
	}
}

// steps is n instants, step apart from first on.
func steps(n int, first, step time.Duration) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = first + time.Duration(i)*step
	}
	return out
}

// wantPace checks that the instants are from first on, a step apart, and no more
// than what the network may add later each.
func wantPace(t *testing.T, at []time.Duration, first, step time.Duration) {
	t.Helper()
	for i, d := range at {
		earliest := first
		if i > 0 {
			earliest = at[i-1] + step
		}
		if d < earliest || d > earliest+network {
			t.Fatalf("call %d of %d at %v, want it from %v to %v; all: %v", i+1, len(at), d, earliest, earliest+network, at[:min(len(at), 30)])
		}
	}
}

// wantConforming checks that no window of w has more than burst + rate·w of
// the instants.
func wantConforming(t *testing.T, at []time.Duration, rate float64, burst int) {
	t.Helper()
	interval := time.Duration(float64(time.Second) / rate)
	var tat time.Duration
	for i, now := range at {
		if early := tat - time.Duration(burst-1)*interval - now; i > 0 && early > 0 {
			t.Fatalf("call %d of %d at %v came %v too early for %v/s, burst %d", i+1, len(at), now, early, rate, burst)
		}
		tat = max(tat, now) + interval
	}
}

// wantWindows checks that no half-open window has more than n of the instants.
func wantWindows(t *testing.T, at []time.Duration, n int, window time.Duration) {
	t.Helper()
	for i := n; i < len(at); i++ {
		if span := at[i] - at[i-n]; span < window {
			t.Fatalf("calls %d to %d came within %v: more than %d in %v", i-n+1, i+1, span, n, window)
		}
	}
}

// bucket is the header field that publishes a rate and a burst.
func bucket(quota, seconds, burst int) []string {
	return []string{"RateLimit-Policy", fmt.Sprintf(`"p";q=%d;w=%d;burst=%d`, quota, seconds, burst)}
}

// A direct base is a handler in the same program, without a network.
type direct struct{ http.Handler }

func (d direct) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, req)
	resp := w.Result()
	resp.Request = req
	return resp, nil
}

// A slowBase answers after a time.
type slowBase struct {
	http.RoundTripper
	rtt time.Duration
}

func (b slowBase) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	time.Sleep(b.rtt)
	return resp, err
}

package realservers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// A server is a limiter that somebody else wrote, and its limit.
type server struct {
	name string
	// Of each that is opened nothing is used yet.
	open func(t *testing.T) (url string)
	// rate and burst are what somebody sets who was told the limit.
	rate  rate.Limit
	burst int
	// atOnce is how many calls it does not refuse that come all at once.
	atOnce int
	// ideal is how long n calls take at least that could all go at once.
	ideal func(n int) time.Duration
	// publishes says that answers tell what is left.
	publishes bool
}

// bucket is the ideal of a server that lets burst calls go at once, and then
// one every 1/perSecond.
func bucket(perSecond, burst int) func(int) time.Duration {
	return func(n int) time.Duration {
		return time.Duration(max(0, n-burst)) * time.Second / time.Duration(perSecond)
	}
}

// fixedWindow is that of a server which counts anew after each window. The first
// begins with the first call.
func fixedWindow(limit int, window time.Duration) func(int) time.Duration {
	return func(n int) time.Duration { return time.Duration((n-1)/limit) * window }
}

// slidingCounter is that of a server which adds what is left of the window
// before, to the nearest whole call.
func slidingCounter(limit int, window time.Duration) func(int) time.Duration {
	return func(n int) time.Duration {
		if n <= limit {
			return 0
		}
		return time.Duration(2*n-1) * window / time.Duration(2*limit)
	}
}

// served opens a server with a limiter in front of what it serves.
func served(limit limiterFunc) func(*testing.T) string {
	return func(t *testing.T) string {
		s := httptest.NewServer(limit(t, http.HandlerFunc(ok)))
		t.Cleanup(s.Close)
		return s.URL
	}
}

// A limiterFunc puts a new limiter in front of a handler.
type limiterFunc func(t *testing.T, next http.Handler) http.Handler

func ok(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }

// What the tests take for the ideal has to be what the servers do.
func TestIdeal(t *testing.T) {
	const step, slack = time.Millisecond, 5 * time.Millisecond
	for _, m := range middlewares {
		t.Run(m.name, func(t *testing.T) {
			if m.ownClock {
				t.Skip("it does not go by the clock of the bubble")
			}
			synctest.Test(t, func(t *testing.T) {
				h := m.limit(t, http.HandlerFunc(ok))
				begun, n := time.Now(), 0
				for n < 200 {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
					if w.Code != http.StatusOK {
						time.Sleep(step)
						continue
					}
					n++
					took := time.Since(begun)
					if took == 0 && n > m.atOnce {
						t.Fatalf("more than %d went at once", m.atOnce)
					}
					if ideal := m.ideal(n); took < ideal-slack || took > ideal+slack {
						t.Fatalf("call %d was let through after %v, want %v", n, took, ideal)
					}
				}
			})
		})
	}
}

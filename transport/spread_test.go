package transport_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/transport"
)

// quotaBase lets ten calls go in each window of ten seconds, and says how many
// are left and when it is over, which is a little later than it is.
func quotaBase() *script {
	start := time.Now()
	var window time.Duration
	used := 0
	var mu sync.Mutex
	return newScript(func(req *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Since(start)
		if w := now.Truncate(10 * time.Second); w != window {
			window, used = w, 0
		}
		status := 200
		if used++; used > 10 {
			status = 429
		}
		reset := (window + 10*time.Second - now).Seconds()
		return answer(status, "", "X-RateLimit-Limit", "10", "X-RateLimit-Remaining", strconv.Itoa(max(0, 10-used)),
			"X-RateLimit-Reset", strconv.FormatFloat(1.001*reset, 'f', 6, 64))(req)
	})
}

// A quota goes at once, or evenly, or half and half; never is more of it used
// than there is.
func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		spread float64
		atOnce int           // calls in the first half second, at most
		last   time.Duration // of 30 calls, at most
	}{{-1, 10, 21 * time.Second}, {0, 6, 31 * time.Second}, {1, 2, 32 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			base := quotaBase()
			tr := &transport.Transport{Base: base, Spread: tt.spread, MaxWait: -1, Backoff: still}
			var wg sync.WaitGroup
			do(t, tr, get(t, api))
			crowd(&wg, 29, func(int) { do(t, tr, get(t, api)) })
			wg.Wait()
			if len(base.at) != 30 {
				t.Errorf("spread %v: %d calls for 30", tt.spread, len(base.at))
			}
			early := slices.IndexFunc(base.at, func(at time.Duration) bool { return at > time.Second/2 })
			if last := base.at[len(base.at)-1]; early > tt.atOnce || last > tt.last {
				t.Errorf("spread %v: %d at once, the last at %v; want at most %d and %v; all: %v", tt.spread, early, last, tt.atOnce, tt.last, base.at)
			}
		})
	}
}

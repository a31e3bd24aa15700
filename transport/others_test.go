package transport_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// A publicBucket is a server that says with each answer what is left.
type publicBucket struct {
	mu    sync.Mutex
	level float64
	at    time.Time
}

const bucketRate, bucketBurst = 10.0, 20.0

func (b *publicBucket) RoundTrip(req *http.Request) (*http.Response, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.level = min(bucketBurst, b.level+bucketRate*now.Sub(b.at).Seconds())
	b.at = now
	status := 429
	if b.level >= 1 {
		b.level--
		status = 200
	}
	return answer(status, "", "RateLimit-Policy", fmt.Sprintf(`"p";q=%v;w=1;burst=%v`, bucketRate, bucketBurst), "RateLimit", fmt.Sprintf(`"p";r=%d`, int(b.level)))(req)
}

// A neighbour takes eight of ten a second for three minutes, and we want five.
func TestOthersAreTold(t *testing.T) {
	for name, shadow := range map[string]bool{"paced": false, "shadow": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, log := &publicBucket{level: bucketBurst, at: time.Now()}, &eventLog{}
				tr := &transport.Transport{Base: server, Observe: log.observe, Shadow: shadow, Backoff: still}
				var wg sync.WaitGroup
				wg.Go(func() {
					for range 8 * 180 {
						_, _ = attempt(server, get(t, api))
						time.Sleep(125 * time.Millisecond)
					}
				})
				for range 5 * 180 {
					_, _ = attempt(tr, get(t, api))
					time.Sleep(200 * time.Millisecond)
				}
				wg.Wait()
				told := log.of(transport.EventOthers)
				if len(told) < 2 || len(told) > 12 {
					t.Fatalf("told %d times: %+v", len(told), told)
				}
				mean := 0.0
				for _, e := range told {
					mean += e.Rate / float64(len(told))
					if e.Limit != (throttle.Limit{Rate: bucketRate, Burst: bucketBurst}) || e.Key != "api.example.com" || e.Shadow != shadow {
						t.Errorf("told of %+v", e)
					}
				}
				if mean < 3 || mean > 12 {
					t.Errorf("%.1f a second by others, want about 8", mean)
				}
			})
		})
	}
}

// Whoever is alone is told of nobody.
func TestNoOthersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, log := &publicBucket{level: bucketBurst, at: time.Now()}, &eventLog{}
		tr := &transport.Transport{Base: server, Observe: log.observe}
		for range 500 {
			do(t, tr, get(t, api))
		}
		if told := log.of(transport.EventOthers); len(told) != 0 {
			t.Errorf("told of %+v", told)
		}
	})
}

package transport_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// grafana/grafana#26307, #55499, toggl/mobileapp#3932: a page that opens 40
// panels at once fails in part.
func TestPageThatOpensAtOnce(t *testing.T) {
	hand := transport.Limits{"/": {{Rate: 10, Burst: 10}}}
	for name, limits := range map[string]transport.Limits{"limit by hand": hand, "published": nil} {
		synctest.Test(t, func(t *testing.T) {
			h, err := throttletest.NewHandler(throttletest.Config{Rate: 10, Burst: 10})
			if err != nil {
				t.Fatal(err)
			}
			base := newScript(direct{h}.RoundTrip)
			tr := &transport.Transport{Base: base, Limits: limits}
			ctx, cancel := contextWithTimeout(t, 30*time.Second)
			defer cancel()
			var wg sync.WaitGroup
			for range 40 {
				wg.Go(func() { do(t, tr, get(t, api).WithContext(ctx)) })
			}
			wg.Wait()
			if h.Refused() != 0 {
				t.Errorf("%s: %d refused", name, h.Refused())
			}
			base.wantAt(t, append(make([]time.Duration, 10), steps(30, 100*time.Millisecond, 100*time.Millisecond)...)...)
		})
	}
}

// prometheus/prometheus#9634, #13562,
// open-telemetry/opentelemetry-collector#4194, #14174: more workers make it worse.
func TestMoreWorkersSendNoFaster(t *testing.T) {
	for name, limits := range map[string]transport.Limits{
		"limit by hand": {"/": {{Rate: 50, Burst: 50}}},
		"published":     nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			h, err := throttletest.NewHandler(throttletest.Config{Rate: 50, Burst: 50})
			if err != nil {
				t.Fatal(err)
			}
			base := newScript(direct{h}.RoundTrip)
			tr := &transport.Transport{Base: slowBase{base, 20 * time.Millisecond}, MaxWait: -1, Limits: limits}
			ctx, cancel := contextWithTimeout(t, 40*time.Second)
			defer cancel()
			var wg sync.WaitGroup
			work := func() {
				for {
					if status, err := attempt(tr, get(t, api).WithContext(ctx)); err != nil || status != http.StatusOK {
						return
					}
				}
			}
			for range 200 {
				wg.Go(work)
			}
			time.Sleep(20 * time.Second)
			before := base.hits()
			for range 400 {
				wg.Go(work)
			}
			wg.Wait()
			after := len(base.at) - before
			if before > 1051 || before < 1000 || after > 1001 || after < 950 || h.Refused()*100 >= len(base.at) {
				t.Errorf("%s: %d sent in 20s by 200 workers, %d by 600 in the next; %d refused", name, before, after, h.Refused())
			}
			wantConforming(t, base.at, 50, 50)
		})
	}
}

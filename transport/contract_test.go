package transport_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
	"github.com/headway-go/headway/transport/transporttest"
)

// A Transport keeps the contract of a RoundTripper, however it is set up.
func TestContract(t *testing.T) {
	for name, fields := range map[string]func(*transport.Transport){
		"zero":            func(*transport.Transport) {},
		"MaxConcurrent 1": func(tr *transport.Transport) { tr.MaxConcurrent = 1 },
		"MaxConcurrent 4": func(tr *transport.Transport) { tr.MaxConcurrent = 4 },
		"Limits": func(tr *transport.Transport) {
			tr.Limits = transport.Limits{
				"api.example.com/":        {{Rate: 5000, Burst: 10}, {Rate: 100_000, Burst: 1}},
				"GET api.example.com/{x}": {{Rate: 2000}},
			}
		},
		"no retries":       func(tr *transport.Transport) { tr.MaxAttempts = 1 },
		"waits for ever":   func(tr *transport.Transport) { tr.MaxWait = -1 },
		"all that it sees": func(tr *transport.Transport) { tr.Observe = func(context.Context, transport.Event) {} },
		"shadow": func(tr *transport.Transport) {
			tr.Shadow, tr.MaxConcurrent, tr.MaxAttempts = true, 1, 1
			tr.Limits = transport.Limits{"/": {{Rate: 0.001}}}
			tr.Observe = func(context.Context, transport.Event) {}
		},
		"everything": func(tr *transport.Transport) {
			tr.MaxConcurrent, tr.MaxWait, tr.MaxAttempts = 2, -1, 3
			tr.Limits = transport.Limits{"/": {throttle.Per(5000, time.Second)}}
			tr.Key = transport.KeyByHostAndHeader("Authorization")
			tr.Observe = func(context.Context, transport.Event) {}
			tr.Throttled = func(resp *http.Response) bool { return resp.StatusCode == http.StatusTooManyRequests }
		},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, func(base http.RoundTripper) http.RoundTripper {
				tr := &transport.Transport{Base: base}
				tr.Backoff.Min, tr.Backoff.Max = 1, time.Microsecond
				fields(tr)
				return tr
			})
		})
	}
}

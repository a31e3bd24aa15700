package transport_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// What makes no sense is told by name, by Validate and at the first call.
func TestBadConfiguration(t *testing.T) {
	limits := func(pattern string, l throttle.Limit) *transport.Transport {
		return &transport.Transport{Limits: transport.Limits{pattern: {l}}}
	}
	good := throttle.Limit{Rate: 1}
	for _, tt := range []struct {
		tr   *transport.Transport
		want string
	}{
		{limits("api.example.com/", throttle.Limit{Rate: -1}), `Limits["api.example.com/"]: Rate: -1`},
		{limits("api.example.com/", throttle.Limit{}), `Limits["api.example.com/"]: Rate: 0`},
		{limits("api.example.com/", throttle.Limit{Rate: rate.Limit(math.NaN())}), `Rate: NaN`},
		{limits("api.example.com/", throttle.Limit{Rate: rate.Limit(math.Inf(1))}), `Rate: +Inf`},
		{limits("api.example.com/", throttle.Limit{Rate: 1e300}), `Rate: 1e+300`},
		{limits("api.example.com/", throttle.Limit{Rate: 1, Burst: -1}), `Burst: -1`},
		{limits("api.example.com/", throttle.Per(0, time.Second)), `Rate: -1`},
		{limits("api.example.com", good), "a pattern needs a path"},
		{limits("api.example.com:443/", good), "no port"},
		{limits("*.example.com/", good), "no wildcard"},
		{limits("{host}.example.com/", good), "no wildcard"},
		{limits("/a/{b", good), `Limits["/a/{b"]`},
		{limits("", good), `Limits[""]`},
		{&transport.Transport{Limits: transport.Limits{"a.com/{x}/y": {good}, "a.com/z/{y}": {good}}}, "conflicts"},
		{&transport.Transport{Limits: transport.Limits{"a.com/": {good}, "A.com/": {good}}}, "conflicts"},
		{&transport.Transport{MaxAttempts: -1}, "MaxAttempts: -1"},
		{&transport.Transport{Spread: 1.5}, "Spread: 1.5"},
		{&transport.Transport{Spread: math.NaN()}, "Spread: NaN"},
		{&transport.Transport{MaxConcurrent: -1}, "MaxConcurrent: -1"},
		{&transport.Transport{MaxQueue: -1}, "MaxQueue: -1"},
		{&transport.Transport{Backoff: backoff.Policy{Min: -1}}, "Backoff: "},
	} {
		base := newScript(answer(200, ""))
		tt.tr.Base = base
		_, callErr := tt.tr.RoundTrip(get(t, api))
		for name, err := range map[string]error{"Validate": tt.tr.Validate(), "RoundTrip": callErr} {
			if _, ok := errors.AsType[*transport.ConfigError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s = %v, want %q in it", name, err, tt.want)
			}
		}
		if base.hits() != 0 {
			t.Errorf("%s: sent all the same", tt.want)
		}
	}
	tr := limits("api.example.com/", good)
	if err := tr.SetLimits(transport.Limits{"api.example.com:1/": {good}}); err == nil || tr.Validate() != nil {
		t.Errorf("SetLimits = %v", err)
	}
}

func TestKeyByHost(t *testing.T) {
	for url, want := range map[string]string{
		"https://API.example.com/":     "api.example.com",
		"https://api.example.com:443/": "api.example.com",
		"http://api.example.com:80/":   "api.example.com",
		"http://api.example.com:443/":  "api.example.com:443",
		"https://api.example.com:8443": "api.example.com:8443",
		"http://[::1]:80/":             "[::1]",
	} {
		if got := transport.KeyByHost(get(t, url)); got != want {
			t.Errorf("KeyByHost(%s) = %q, want %q", url, got, want)
		}
	}
}

// A request that makes no sense is Base's to refuse.
func TestRequestWithoutURL(t *testing.T) {
	if _, err := (&transport.Transport{}).RoundTrip(&http.Request{Header: http.Header{}}); err == nil {
		t.Error("no error")
	}
}

// The usual call allocates nothing beyond what Base does, whichever host it goes
// to; one whose answer publishes limits allocates the list of them, twice.
func TestAllocations(t *testing.T) {
	for name, tt := range map[string]struct {
		fields http.Header
		more   float64
	}{
		"nothing":  {http.Header{}, 0},
		"ordinary": {ordinary(), 0},
		"trio":     {with(ordinary(), "X-Ratelimit-Limit", "1000000000", "X-Ratelimit-Remaining", "900000000", "X-Ratelimit-Reset", "3600"), 2},
		"IETF":     {with(ordinary(), "Ratelimit-Policy", `"a";q=1000000000;w=1`, "Ratelimit", `"a";r=900000000`), 2},
	} {
		base := &fixed{http.Response{StatusCode: 200, Header: tt.fields, Body: http.NoBody}}
		req := get(t, api)
		of := func(rt http.RoundTripper) float64 {
			return testing.AllocsPerRun(200, func() { _, _ = rt.RoundTrip(req) })
		}
		hand := transport.Limits{"api.example.com/": {{Rate: 1e9, Burst: 1 << 30}}}
		for kind, tr := range map[string]*transport.Transport{
			"zero": {Base: base}, "by hand": {Base: base, Limits: hand}, "shadow": {Base: base, Limits: hand, Shadow: true},
			"observed": {Base: base, Observe: func(context.Context, transport.Event) {}},
		} {
			want := of(base) + tt.more
			if tr.Shadow {
				want += tt.more // to see what would have become of it
			}
			if got := of(tr); got > want {
				t.Errorf("%s, %s: %v allocations, want at most %v", name, kind, got, want)
			}
			if got := testing.AllocsPerRun(200, twoHosts(t, tr)); got > 2*want {
				t.Errorf("%s, %s: %v allocations for two hosts in turn, want at most %v", name, kind, got, 2*want)
			}
		}
	}
}

func with(h http.Header, pairs ...string) http.Header {
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

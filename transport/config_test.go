package transport_test

import (
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
// to.
func TestAllocations(t *testing.T) {
	for _, h := range []http.Header{{}, ordinary()} {
		base := &fixed{http.Response{StatusCode: 200, Header: h, Body: http.NoBody}}
		req := get(t, api)
		of := func(rt http.RoundTripper) float64 {
			return testing.AllocsPerRun(200, func() { _, _ = rt.RoundTrip(req) })
		}
		hand := transport.Limits{"api.example.com/": {{Rate: 1e9, Burst: 1 << 30}}}
		for name, tr := range map[string]*transport.Transport{
			"zero": {Base: base}, "by hand": {Base: base, Limits: hand}, "shadow": {Base: base, Limits: hand, Shadow: true},
		} {
			if got, want := of(tr), of(base); got != want {
				t.Errorf("%s, %d fields: %v allocations, the base has %v", name, len(h), got, want)
			}
			both := twoHosts(t, tr)
			if got, want := testing.AllocsPerRun(200, both), 2*of(base); got != want {
				t.Errorf("%s, %d fields, two hosts in turn: %v allocations, the base has %v", name, len(h), got, want)
			}
		}
	}
}

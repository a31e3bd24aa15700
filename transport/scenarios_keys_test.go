package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// cowrie/cowrie#40395, #40406, prkumar/uplink#136, jonbaldie/varnish#76: one
// host under several names has several budgets.
func TestSpellingOfAHostDoesNotSplitItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := &transport.Transport{Base: base, Limits: transport.Limits{"/": {{Rate: 2}}}}
		urls := []string{"https://API.example.com", "https://api.example.com:443", "https://api.example.com./"}
		for i := range 10 {
			do(t, tr, get(t, urls[i%3]))
		}
		base.wantAt(t, steps(10, 0, 500*time.Millisecond)...)
		start := time.Now()
		do(t, tr, get(t, "https://api.example.com:8443/"))
		if time.Since(start) != 0 || len(tr.Budgets()) != 2 {
			t.Errorf("another port waited %v; budgets %+v", time.Since(start), tr.Budgets())
		}
	})
}

// transithq/tropel#261: hops of a redirect pass the limiter by.
func TestEachHopIsChargedToItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := map[string][]time.Duration{}
		start := time.Now()
		base := newScript(func(req *http.Request) (*http.Response, error) {
			sent[req.URL.Host] = append(sent[req.URL.Host], time.Since(start))
			switch {
			case req.URL.Host != "a":
				return answer(200, "")(req)
			case req.URL.Path == "/refused":
				return answer(429, "", "Retry-After", "30")(req)
			}
			return answer(302, "", "Location", "http://b/")(req)
		})
		tr := &transport.Transport{Base: base, MaxAttempts: 1, Limits: transport.Limits{"/": {{Rate: 10}}}}
		client := &http.Client{Transport: tr}
		if ok := fan(t, client, "http://a/", 20, 1); ok != 20 {
			t.Errorf("%d answered", ok)
		}
		for _, host := range []string{"a", "b"} {
			if want := steps(20, 0, 100*time.Millisecond); !slices.Equal(sent[host], want) {
				t.Errorf("%s: sent at %v", host, sent[host])
			}
		}
		do(t, tr, get(t, "http://a/refused"))
		do(t, tr, get(t, "http://b/"))
		if at := sent["b"][20]; at != 2*time.Second {
			t.Errorf("the other host is called at %v, want 2s", at)
		}
	})
}

// container-registry/harbor-satellite#420, google/oss-rebuild#1401,
// theopenlane/core#2004, projectdiscovery/ratelimit#162: a goroutine for each
// limiter, and none can be ended.
func TestTransportsEndByThemselves(t *testing.T) {
	before := runtime.NumGoroutine()
	var refs []weak.Pointer[transport.Transport]
	for range 1000 {
		tr := &transport.Transport{Base: &fixed{http.Response{StatusCode: 200, Body: http.NoBody}}}
		for host := range 10 {
			if _, err := attempt(tr, get(t, fmt.Sprintf("http://host%d/", host))); err != nil {
				t.Fatal(err)
			}
		}
		refs = append(refs, weak.Make(tr))
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
	runtime.GC()
	alive := 0
	for _, ref := range refs {
		if ref.Value() != nil {
			alive++
		}
	}
	if alive > 10 {
		t.Errorf("%d of 1000 Transports are still in memory", alive)
	}
}

// tomasbasham/ratelimit#59, octokit/plugin-throttling.js#2: one budget for
// several credentials.
func TestCredentialsHaveBudgetsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(answer(200, ""))
		tr := onePerSecond(base)
		tr.Key = transport.KeyByHostAndHeader("Authorization")
		start := time.Now()
		var wg sync.WaitGroup
		for _, token := range []string{"token-a", "token-b"} {
			wg.Go(func() {
				for range 5 {
					req := get(t, api)
					req.Header.Set("Authorization", token)
					do(t, tr, req)
				}
				if took := time.Since(start); took != 4*time.Second {
					t.Errorf("%s: took %v", token, took)
				}
			})
		}
		wg.Wait()
		for _, s := range tr.Budgets() {
			if strings.Contains(s.Key, "token") {
				t.Errorf("key %q", s.Key)
			}
		}
	})
}

// vutran1710/PyrateLimiter#300: those who clean up and those who call race.
func TestEverythingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		tr := &transport.Transport{
			Base: roundTrip(func(req *http.Request) (*http.Response, error) {
				return answer(200, "", bucket(int(n.Add(1)%7+1)*1000, 1, 100)...)(req)
			}),
			MaxWait: -1, MaxConcurrent: 50, Observe: func(context.Context, transport.Event) {},
		}
		var wg sync.WaitGroup
		for g := range 64 {
			wg.Go(func() {
				for i := range 250 {
					switch {
					case i%100 == 7 && g == 0:
						if err := tr.SetLimits(transport.Limits{"api.example.com/": {{Rate: rate.Limit(1000 + i), Burst: 10}}}); err != nil {
							t.Error(err)
						}
					case i%100 == 17 && g == 1:
						tr.Budgets()
					case i%100 == 27 && g == 2:
						tr.Reset("api.example.com")
					}
					if _, err := attempt(tr, get(t, api)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if s := tr.Budgets()[0]; n.Load() != 64*250 || s.Waiting != 0 || s.InFlight != 0 {
			t.Errorf("%d sent; %+v", n.Load(), s)
		}
	})
}

// richardwooding/feed-mcp#117, traefik/traefik#13704, discordjs/discord.js#7255,
// librefang/librefang#3668, boinkor-net/governor#171: what is kept for a key is
// never thrown away.
func TestKeysInMemoryAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(func(req *http.Request) (*http.Response, error) {
			if req.URL.Host == "cooling" {
				return answer(429, "", "Retry-After", "3000")(req)
			}
			return answer(200, "")(req)
		})
		tr := &transport.Transport{Base: base, MaxKeys: 1000, MaxWait: time.Hour, MaxAttempts: 1, Limits: transport.Limits{"busy/": {{Rate: 0.001}}}}
		do(t, tr, get(t, "http://cooling/"))
		var wg sync.WaitGroup
		crowd(&wg, 2, func(int) { do(t, tr, get(t, "http://busy/")) })
		for i := range 10_000 {
			if _, err := attempt(tr, get(t, fmt.Sprintf("http://host%d/", i))); err != nil {
				t.Fatal(err)
			}
		}
		kept := map[string]throttle.State{}
		for _, s := range tr.Budgets() {
			kept[s.Key] = s
		}
		if len(kept) > 1000 || kept["cooling"].CoolingLeft == 0 || kept["busy"].Waiting != 1 {
			t.Errorf("%d keys; cooling %+v, busy %+v", len(kept), kept["cooling"], kept["busy"])
		}
		wg.Wait()
	})
}

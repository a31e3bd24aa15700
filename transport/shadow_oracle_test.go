package transport_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// What a shadow foretells is what becomes of the same calls at a Transport that
// holds them back, also where a server counts some of them apart, or some have
// limits of their own.
func TestShadowForetellsWhatATransportDoes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields map[string]string // what the server publishes, by the first segment of the path
		limits transport.Limits
	}{
		{"published", map[string]string{"core": `"core";q=10;w=1;burst=6`, "search": `"search";q=2;w=1;burst=3`, "x": `"x";q=1;w=1;burst=2`}, nil},
		{"by hand", nil, transport.Limits{
			"api.example.com/":        {{Rate: 5, Burst: 4}},
			"api.example.com/search/": {{Rate: 2, Burst: 3}, {Rate: 1, Burst: 9}},
			"GET api.example.com/x/a": {throttle.Per(20, time.Minute)},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(10) {
				base := roundTrip(func(req *http.Request) (*http.Response, error) {
					name, _, _ := strings.Cut(strings.Trim(req.URL.Path, "/"), "/")
					return answer(200, "", "RateLimit-Policy", tt.fields[name])(req)
				})
				want := fates(t, seed, &transport.Transport{Base: base, Limits: tt.limits})
				got := fates(t, seed, &transport.Transport{Base: base, Limits: tt.limits, Shadow: true})
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: forecasts\n%q\nreally\n%q", seed, got, want)
				}
				if !slices.ContainsFunc(want, func(s string) bool { return strings.HasPrefix(s, "refused") }) {
					t.Errorf("seed %d: nothing is refused", seed)
				}
			}
		})
	}
}

type callNumber struct{}

// fates tells what became, or would have, of calls at random.
func fates(t *testing.T, seed uint64, tr *transport.Transport) []string {
	t.Helper()
	fates := make([]string, 150)
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		tr.MaxWait = 10 * time.Second
		tr.Observe = func(ctx context.Context, e transport.Event) {
			mu.Lock()
			defer mu.Unlock()
			if i, ok := ctx.Value(callNumber{}).(int); ok && (e.Kind == transport.EventWaited || e.Kind == transport.EventRefusedLocally) {
				fates[i] = fmt.Sprint(e.Kind, " ", e.Wait, " ", e.Cause)
			}
		}
		paths := []string{"/core/a", "/search/a", "/x/a"}
		for i := range 60 { // until where they belong, and the way to the server, is known
			do(t, tr, get(t, "http://api.example.com"+paths[i%3]))
			time.Sleep(30 * time.Second)
		}
		random := rand.New(rand.NewPCG(seed, 0))
		var wg sync.WaitGroup
		for i := range fates {
			ctx := context.WithValue(throttle.WithCost(t.Context(), 1+random.IntN(2)), callNumber{}, i)
			req := get(t, "http://api.example.com"+paths[random.IntN(3)]).WithContext(ctx)
			wg.Go(func() {
				came := time.Now()
				if _, err := attempt(tr, req); tr.Shadow && (err != nil || time.Since(came) > 0) {
					t.Errorf("call %d: %v after %v", i, err, time.Since(came))
				}
			})
			synctest.Wait()
			time.Sleep(time.Duration(max(0, random.IntN(1500)-1000)) * time.Millisecond)
		}
		wg.Wait()
	})
	return fates
}

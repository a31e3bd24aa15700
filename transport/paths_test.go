package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// A resourceServer counts its calls by resource, each in windows of its own, and
// names the resource in its answers.
type resourceServer struct {
	resource func(*http.Request) string
	limits   map[string]int
	window   time.Duration

	mu      sync.Mutex
	used    map[string]int
	since   map[string]time.Time
	refused map[string]int
	last    time.Time // when the last call was taken
}

func (s *resourceServer) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(20 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	name, now := s.resource(req), time.Now()
	if s.used == nil {
		s.used, s.since, s.refused = map[string]int{}, map[string]time.Time{}, map[string]int{}
	}
	if now.Sub(s.since[name]) >= s.window {
		s.since[name], s.used[name] = now, 0
	}
	status := 200
	if s.used[name] >= s.limits[name] {
		status = 403
		s.refused[name]++
	} else {
		s.used[name]++
		s.last = now
	}
	return answer(status, "",
		"Date", now.UTC().Format(http.TimeFormat),
		"X-RateLimit-Resource", name,
		"X-RateLimit-Limit", fmt.Sprint(s.limits[name]),
		"X-RateLimit-Remaining", fmt.Sprint(s.limits[name]-s.used[name]),
		"X-RateLimit-Reset", fmt.Sprint(s.since[name].Add(s.window).Unix()),
	)(req)
}

func github() *resourceServer {
	return &resourceServer{
		window: time.Minute,
		limits: map[string]int{"core": 5000, "search": 30, "code_search": 10, "graphql": 5000},
		resource: func(req *http.Request) string {
			switch path := req.URL.Path; {
			case path == "/search/code":
				return "code_search"
			case strings.HasPrefix(path, "/search/"):
				return "search"
			case path == "/graphql":
				return "graphql"
			}
			return "core"
		},
	}
}

// getsentry/sentry#30317, go-github's category table: one host has several
// quotas, and one that is used up must not hold up the others.
func TestResourcesOfOneHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := github()
		tr := &transport.Transport{Base: server, MaxWait: 10 * time.Minute}
		do(t, tr, get(t, "https://api.test/repos/a/b"))
		do(t, tr, get(t, "https://api.test/search/issues"))
		do(t, tr, post(t, "https://api.test/graphql", "{}"))

		var all, core sync.WaitGroup
		for i := range 60 {
			all.Go(func() {
				do(t, tr, get(t, fmt.Sprintf("https://api.test/search/%s?q=%d", []string{"issues", "users", "commits"}[i%3], i)))
			})
			all.Go(func() { do(t, tr, post(t, "https://api.test/graphql", "{}")) })
		}
		start := time.Now()
		for i := range 300 {
			core.Go(func() { do(t, tr, get(t, fmt.Sprintf("https://api.test/repos/a%d/b/commits/%d", i%10, i))) })
		}
		core.Wait()
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("300 calls of core took %v while searches wait for their quota", d)
		}
		all.Wait()
		if d := server.last.Sub(start); d > 3*time.Minute {
			t.Errorf("60 searches at 30 a minute took %v", d)
		}
		for name, n := range server.refused {
			if n > 0 {
				t.Errorf("%d calls of %s were refused", n, name)
			}
		}
	})
}

// A server such as Discord's has a small quota for nearly every route of a bot:
// each is used to the full, whatever waits for the others.
func TestManyResourcesOfOneHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &resourceServer{
			window: 5 * time.Second, limits: map[string]int{},
			resource: func(req *http.Request) string { return req.URL.Path[1:] },
		}
		tr := &transport.Transport{Base: server, MaxWait: -1, Spread: -1}
		for i := range 60 {
			name := string(rune('a'+i/8)) + string(rune('a'+i%8))
			server.limits[name] = 5
			do(t, tr, get(t, "https://api.test/"+name))
		}
		time.Sleep(time.Minute)
		start := time.Now()
		var wg sync.WaitGroup
		for name := range server.limits {
			for range 10 {
				wg.Go(func() { do(t, tr, get(t, "https://api.test/"+name)) })
			}
		}
		wg.Wait()
		if d := time.Since(start); d > 10*time.Second || len(server.refused) > 0 {
			t.Errorf("ten calls of each of 60 quotas of five in 5 s took %v, refused were %v", d, server.refused)
		}
	})
}

// What is within one scope parts from it when an answer says so, and what has
// numbers in its path is like the other numbers.
func TestPathsPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := github()
		tr := &transport.Transport{Base: server, MaxWait: -1, Spread: -1}
		for _, path := range []string{"/repos/a/b", "/user/1", "/search/issues", "/search/users", "/search/code"} {
			do(t, tr, get(t, "https://api.test"+path))
		}
		for range 9 {
			do(t, tr, get(t, "https://api.test/search/code"))
		}
		// Nothing is left of code_search. The others do not care.
		start := time.Now()
		for _, path := range []string{"/search/issues", "/user/77", "/repos/c/d", "/search/labels"} {
			do(t, tr, get(t, "https://api.test"+path))
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("four calls of other resources took %v", d)
		}
		do(t, tr, get(t, "https://api.test/search/code"))
		if d := time.Since(start); d < 30*time.Second {
			t.Errorf("a search for code went %v after its quota was used up", d)
		}
		if n := server.refused["code_search"]; n > 0 {
			t.Errorf("%d refused", n)
		}
	})
}

// Calls that go at once to a path like none before are all found to be of its
// quota, not only the one that is answered first.
func TestFirstCallsOfAPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := github()
		tr := &transport.Transport{Base: server, MaxWait: -1, Spread: -1}
		do(t, tr, get(t, "https://api.test/user"))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { do(t, tr, get(t, "https://api.test/search/code")) })
		}
		wg.Wait()
		for range 2 {
			do(t, tr, get(t, "https://api.test/search/code"))
		}
		start := time.Now()
		do(t, tr, get(t, "https://api.test/user"))
		if d := time.Since(start); d > time.Second {
			t.Errorf("a call of core took %v once the searches had used up their quota", d)
		}
	})
}

// Refusals of calls that went together to a path like none before are one event:
// the delay grows once, not with each of them.
func TestFirstCallsOfAPathAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newScript(func(req *http.Request) (*http.Response, error) {
			time.Sleep(20 * time.Millisecond)
			status, name := 200, "core"
			if strings.HasPrefix(req.URL.Path, "/search/") {
				status, name = 429, "search"
			}
			return answer(status, "", "X-RateLimit-Resource", name, "X-RateLimit-Remaining", "99", "X-RateLimit-Limit", "100", "X-RateLimit-Reset", "60")(req)
		})
		tr := &transport.Transport{Base: server, MaxAttempts: 1, Backoff: still}
		do(t, tr, get(t, "https://api.test/user"))
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() { do(t, tr, get(t, "https://api.test/search/"+string(rune('a'+i)))) })
		}
		wg.Wait()
		if d := tr.Budgets()[0].CoolingLeft; d > still.Delay(0, 0) {
			t.Errorf("after one flight of refusals the calls are held back for %v, want %v", d, still.Delay(0, 0))
		}
	})
}

// discordjs/discord.js#7654, discord's X-RateLimit-Global: one 429 that is of
// everybody stops all buckets, any other only its own.
func TestGlobalRefusal(t *testing.T) {
	for _, tt := range []struct {
		fields []string
		want   time.Duration
	}{
		{[]string{"X-RateLimit-Global", "true", "X-RateLimit-Scope", "global"}, 7 * time.Second},
		{[]string{"X-RateLimit-Scope", "shared", "X-RateLimit-Bucket", "b", "X-RateLimit-Remaining", "3", "X-RateLimit-Limit", "5", "X-RateLimit-Reset-After", "1"}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			refuse := false
			base := newScript(func(req *http.Request) (*http.Response, error) {
				name := req.URL.Path[1:]
				if name == "b" && refuse {
					refuse = false
					return answer(429, "", append(tt.fields, "Retry-After", "7")...)(req)
				}
				return answer(200, "", "X-RateLimit-Bucket", name, "X-RateLimit-Remaining", "99", "X-RateLimit-Limit", "100", "X-RateLimit-Reset-After", "60")(req)
			})
			tr := &transport.Transport{Base: base, Backoff: still, MaxAttempts: 1}
			for _, path := range []string{"/a", "/b"} {
				do(t, tr, get(t, "https://discord.test"+path))
			}
			refuse = true
			do(t, tr, get(t, "https://discord.test/b"))
			start := time.Now()
			do(t, tr, get(t, "https://discord.test/a"))
			if d := time.Since(start); d != tt.want {
				t.Errorf("after %v a call of another bucket waits %v, want %v", tt.fields, d, tt.want)
			}
		})
	}
}

// A call that waits in the wrong line is moved to the right one when another
// shows it.
func TestCallsMoveWhileTheyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/slow") {
				return answer(200, "", "X-RateLimit-Resource", "slow", "X-RateLimit-Remaining", "0", "X-RateLimit-Limit", "9", "X-RateLimit-Reset", "100")(req)
			}
			return answer(200, "", "X-RateLimit-Resource", "fast", "X-RateLimit-Remaining", "0", "X-RateLimit-Limit", "9", "X-RateLimit-Reset", "10")(req)
		})
		tr := &transport.Transport{Base: base, MaxWait: -1}
		do(t, tr, get(t, api+"/fast"))
		var wg sync.WaitGroup
		start := time.Now()
		for range 3 {
			wg.Go(func() { do(t, tr, get(t, api+"/slow")) })
		}
		wg.Wait()
		if d := time.Since(start); d < 200*time.Second {
			t.Errorf("three calls that wait for one quota of a call in 100 s took %v", d)
		}
	})
}

// What a call was charged in the wrong line it gets back, and what it waited there
// is part of its wait.
func TestCallsThatMovePayOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waited := time.Duration(0)
		tr := &transport.Transport{
			Base: github(), MaxWait: 2 * time.Minute,
			Limits:  transport.Limits{"api.test/": {{Rate: 0.1, Burst: 1}}},
			Observe: func(_ context.Context, e transport.Event) { waited = max(waited, e.Wait) },
		}
		do(t, tr, get(t, "https://api.test/user"))
		var wg sync.WaitGroup
		start := time.Now()
		for range 6 {
			wg.Go(func() { do(t, tr, get(t, "https://api.test/search/issues")) })
		}
		wg.Wait()
		if d := time.Since(start); d != time.Minute || waited < d-time.Second {
			t.Errorf("six calls at one in 10 s took %v, and the last waited %v; want a minute", d, waited)
		}
	})
}

// An answer that says too little to make a limit of it says nothing of where its
// calls belong: the next does.
func TestPathsThatSayTooLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := github()
		first := true
		base := newScript(func(req *http.Request) (*http.Response, error) {
			resp, err := server.RoundTrip(req)
			if first && strings.HasPrefix(req.URL.Path, "/search/") {
				first = false
				resp.Header.Del("X-RateLimit-Limit")
				resp.Header.Del("X-RateLimit-Reset")
			}
			return resp, err
		})
		tr := &transport.Transport{Base: base, MaxWait: -1, Spread: -1}
		do(t, tr, get(t, "https://api.test/user"))
		for range 10 {
			do(t, tr, get(t, "https://api.test/search/code"))
		}
		start := time.Now()
		do(t, tr, get(t, "https://api.test/user"))
		if d := time.Since(start); d > time.Second {
			t.Errorf("a call of core took %v once the searches had used up their quota", d)
		}
	})
}

// Servers whose paths are all different fill no memory.
func TestPathsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(func(req *http.Request) (*http.Response, error) {
			name := fmt.Sprint("r", len(req.URL.Path)%2)
			return answer(200, "", "X-RateLimit-Resource", name, "X-RateLimit-Remaining", "99", "X-RateLimit-Limit", "100", "X-RateLimit-Reset", "60")(req)
		})
		tr := &transport.Transport{Base: base, MaxWait: -1}
		for i := range 5000 {
			path := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
			do(t, tr, get(t, api+"/"+path+"/"+strings.Repeat("x/", i%50)))
		}
		var state throttle.State
		for _, s := range tr.Budgets() {
			state = s
		}
		if len(state.Limits) > 2 {
			t.Errorf("%d limits of two resources", len(state.Limits))
		}
	})
}

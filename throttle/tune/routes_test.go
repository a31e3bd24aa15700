package tune

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

func TestRouteOf(t *testing.T) {
	for _, tt := range []struct{ method, path, want string }{
		{"GET", "/", "GET /{$}"},
		{"", "/a", "/a"},
		{"GET", "/a/", "GET /a/{$}"},
		{"GET", "//a//b/../c//", "GET /a/c/{$}"},
		{"GET", "//", "GET /{$}"},
		{"GET", "*", "GET /{id}"},
		{"GET", "/api/v1/users/17", "GET /api/v1/users/{id}"},
		{"GET", "/users/17/posts/18/19", "GET /users/{id}/posts/{id2}/{id3}"},
		{"GET", "/o/f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "GET /o/{id}"},
		{"GET", "/o/deadbeef0", "GET /o/{id}"},
		{"GET", "/o/decade", "GET /o/decade"},
		{"GET", "/2fa", "GET /2fa"},
		{"GET", "/reset/eyJhbGciOiJIUzI1NiJ9abc", "GET /reset/{id}"},
		{"GET", "/u/jane@example.com", "GET /u/{id}"},
		{"GET", "/q/a%20b", "GET /q/{id}"},
		{"GET", "/2026-01-02/report", "GET /{id}/report"},
		{"GET", "/img/1234567.png", "GET /img/{id}"},
		{"GET", "/app.js", "GET /app.js"},
		{"GET", "/{x}/a", "GET /{id}/a"},
		{"GET", strings.Repeat("/a", 12), "GET " + strings.Repeat("/a", 10) + "/{rest...}"},
	} {
		if got := routeOf(tt.method, tt.path); got != tt.want {
			t.Errorf("routeOf(%q, %q) = %q, want %q", tt.method, tt.path, got, tt.want)
		}
	}
}

// FuzzRoute: a route is a pattern that a ServeMux takes and that matches what it
// was made of, if nothing of that is escaped.
func FuzzRoute(f *testing.F) {
	for _, path := range []string{"/", "/a//b/", "/1/2", "/a%2fb", "/{x}", "/a/../b", "/\xff", strings.Repeat("/1", 20)} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" {
			return
		}
		route := routeOf(http.MethodGet, path)
		r, err := newRoutes([]Rule{{Pattern: route}})
		if err != nil {
			t.Fatalf("%q becomes %q: %v", path, route, err)
		}
		e := accesslog.Entry{Method: []byte(http.MethodGet), Path: []byte(path)}
		if got := r.name(&e); path[0] == '/' && !strings.Contains(path, "%") && got != route {
			t.Errorf("%q becomes %q, which is no match: %q", path, route, got)
		}
	})
}

// A rule comes first, then what the log says, then method and path.
func TestClassNames(t *testing.T) {
	r, err := newRoutes([]Rule{
		{Pattern: "/api/"}, {Pattern: "POST /api/login"}, {Pattern: "files.example.com/"}, {Pattern: "jobs"}, {Pattern: "GET /users/{id}"}, {Pattern: "/tree/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from memory
		for _, tt := range []struct {
			class, method, host, path string
			status                    int
			want                      string
		}{
			{"", "GET", "", "/api/x", 200, "/api/"},
			{"", "GET", "", "/api", 200, "/api/"}, // the mux would redirect there
			{"", "GET", "", "/api//x", 200, "/api/"},
			{"", "", "", "/api/x", 404, "/api/"},
			{"", "POST", "", "/api/login", 200, "POST /api/login"},
			{"", "GET", "Files.Example.com:443", "/x", 200, "files.example.com/"},
			{"", "GET", "other.example.com", "/x", 200, "GET /x"},
			{"", "GET", "", "/users/%37", 200, "GET /users/{id}"},
			{"", "GET", "", "/x", 404, NotFound},
			{"", "GET", "", "/x", 200, "GET /x"},
			{"jobs", "GET", "", "/api/x", 200, "jobs"},
			{"chores", "GET", "", "/api/x", 200, "/api/"},
			{"chores", "", "", "", 200, "chores"},
			{"", "GET", "", "", 200, "GET"},
			{"", "", "", "", 200, NoRoute},
		} {
			e := accesslog.Entry{Class: []byte(tt.class), Method: []byte(tt.method), Host: []byte(tt.host), Path: []byte(tt.path), Status: tt.status}
			if got := r.name(&e); got != tt.want {
				t.Errorf("%+v: %q", tt, got)
			}
		}
	}
}

// What is remembered of paths is bounded.
func TestKnownRoutesAreBounded(t *testing.T) {
	r, err := newRoutes(nil)
	if err != nil {
		t.Fatal(err)
	}
	a := agents{}
	for i := range 3 * maxKnown {
		r.name(&accesslog.Entry{Path: fmt.Append(nil, "/", i)})
		a.kind(fmt.Append(nil, i))
	}
	long := []byte("/" + strings.Repeat("x", maxKnownKey))
	r.name(&accesslog.Entry{Path: long})
	a.kind(long)
	if len(r.known) > maxKnown || len(a) > maxKnown || len(r.known) == 0 || r.known[string(long)] != "" {
		t.Errorf("%d paths and %d agents are known, want at most %d", len(r.known), len(a), maxKnown)
	}
}

func TestAgents(t *testing.T) {
	for agent, want := range map[string]agentKind{
		"":                                       noAgent,
		"Mozilla/5.0 (X11; Linux) Firefox/128.0": browserAgent,
		"Mozilla/5.0 (compatible; Googlebot/2.1)": programAgent,
		"okhttp/4.12.0":                      appAgent,
		"ShopApp/4 CFNetwork/1492 Darwin/23": appAgent,
		"python-requests/2.32":               programAgent,
		"Go-http-client/2.0":                 programAgent,
		"something else":                     noAgent,
	} {
		if got := (agents{}).kind([]byte(agent)); got != want {
			t.Errorf("%q is of kind %d, want %d", agent, got, want)
		}
	}
}

package transport

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/headway-go/headway/throttle"
)

// Limits are limits set by hand. What they hold for is said in the pattern
// language of [http.ServeMux]: an optional method, a host, a path.
//
//	transport.Limits{
//		"api.example.com/":           {{Rate: 10, Burst: 5}},
//		"POST api.example.com/login": {{Rate: rate.Every(time.Minute)}},
//	}
//
// Of several patterns that match, the most specific holds, and no other. All
// limits of a pattern hold, in one step. Each key has them for itself: a
// pattern without a host is no limit across hosts. Patterns are matched with
// the host of the URL, in lower case and without its port, so that a pattern
// with a port makes no sense.
type Limits map[string][]throttle.Limit

// A limitTable is Limits made ready to be looked up in.
type limitTable struct {
	limits map[string][]throttle.Limit
	hosts  map[string]string // the pattern host/ of each host
	mux    *http.ServeMux    // nil if there are no other patterns
	probes sync.Pool         // *http.Request
}

// compile returns nil for no limits.
func (l Limits) compile() (*limitTable, error) {
	if len(l) == 0 {
		return nil, nil
	}
	t := &limitTable{limits: make(map[string][]throttle.Limit, len(l)), hosts: make(map[string]string)}
	t.probes.New = func() any { return &http.Request{} }
	mux := http.NewServeMux()
	// In order, so that of two that conflict it is always the same that is named.
	for _, pattern := range slices.Sorted(maps.Keys(l)) {
		p, host, err := normalize(pattern)
		if err == nil {
			err = register(mux, p)
		}
		if err == nil {
			err = validateLimits(l[pattern])
		}
		if err != nil {
			return nil, &ConfigError{Field: "Limits", Entry: pattern, Err: err}
		}
		t.limits[p] = l[pattern]
		if host != "" && p == host+"/" {
			t.hosts[host] = p
		}
	}
	if len(t.hosts) < len(t.limits) {
		t.mux = mux
	}
	return t, nil
}

func validateLimits(limits []throttle.Limit) error {
	for _, l := range limits {
		if err := l.Validate(); err != nil {
			return err
		}
		if l.Rate == 0 {
			return &throttle.FieldError{Field: "Rate", Value: "0", Problem: "would never let go more than the burst"}
		}
	}
	return nil
}

// normalize brings the host of a pattern into the form that it is matched in.
func normalize(pattern string) (normal, host string, err error) {
	method, rest, found := strings.Cut(pattern, " ")
	if !found {
		method, rest = "", pattern
	}
	rest = strings.TrimLeft(rest, " \t")
	host, path, found := strings.Cut(rest, "/")
	if !found {
		return "", "", fmt.Errorf("a pattern needs a path: %q", rest+"/")
	}
	literal := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	if strings.Contains(host, ":") && !literal {
		return "", "", fmt.Errorf("a pattern has no port")
	}
	if strings.ContainsAny(host, "{}*") {
		return "", "", fmt.Errorf("a host has no wildcard")
	}
	host = strings.ToLower(host)
	normal = host + "/" + path
	if method != "" {
		normal = method + " " + normal
	}
	return normal, host, nil
}

// register adds the pattern to the mux, which panics where it makes no sense or
// conflicts with another.
func register(mux *http.ServeMux, pattern string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	mux.Handle(pattern, http.NotFoundHandler())
	return nil
}

// match returns the pattern that holds for the request, or "".
func (t *limitTable) match(req *http.Request) string {
	host := undotted(lower(req.URL.Host))
	if strings.Contains(host, ":") {
		host = hostname(req.URL)
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
	}
	if t.mux == nil {
		return t.hosts[host]
	}
	at := url.URL{Path: req.URL.Path, RawPath: req.URL.RawPath}
	for range 3 {
		p := t.ask(req.Method, host, at)
		if _, ok := t.limits[p]; ok {
			return p
		}
		if p == "" || p == at.Path {
			return ""
		}
		at = url.URL{Path: p} // the mux would redirect there: to a clean path, or one with a slash
	}
	return ""
}

// ask puts a request to the mux that it can look at, and returns the pattern it
// finds, or the path it would redirect to.
func (t *limitTable) ask(method, host string, at url.URL) string {
	if method == "" {
		method = http.MethodGet
	}
	if at.Path == "" {
		at.Path = "/"
	}
	probe := t.probes.Get().(*http.Request)
	defer t.probes.Put(probe)
	probe.Method, probe.Host = method, host
	probe.URL = &at
	_, pattern := t.mux.Handler(probe)
	return pattern
}

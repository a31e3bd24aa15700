package tune

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// The classes of calls that have no route of their own.
const (
	NoRoute  = "(no route)"  // the log does not say what was called
	NotFound = "(not found)" // answered 404: mostly somebody who tries what there may be
	Other    = "(other)"     // there are too many classes
	AllCalls = "(all)"       // all classes together
)

// routes know the class of a call: by a rule, by what the log says, else by its
// method and path, in which what is an id counts for nothing.
type routes struct {
	rules map[string]Rule
	mux   *http.ServeMux // nil if no rule is a pattern
	probe http.Request
	known map[string]string // names of classes, by what was called
	key   []byte
}

// The memory for what was called before is bounded: it is given up when full.
const (
	maxKnown    = 1 << 14
	maxKnownKey = 512
)

func newRoutes(rules []Rule) (*routes, error) {
	r := &routes{rules: map[string]Rule{}, known: map[string]string{}}
	for _, rule := range rules {
		if err := r.register(rule); err != nil {
			return nil, &OptionError{Field: "Rules", Value: cmp.Or(rule.Pattern, `""`), Want: err.Error()}
		}
	}
	return r, nil
}

func (r *routes) register(rule Rule) (err error) {
	if _, twice := r.rules[rule.Pattern]; twice {
		return fmt.Errorf("one rule for a pattern")
	}
	if !rule.Type.isValid() {
		return fmt.Errorf("one of the types of client")
	}
	if rule.Limit != (Limit{}) && !rule.Limit.isValid() {
		return fmt.Errorf("%s", strings.TrimPrefix(errLimit.Error(), "tune: want "))
	}
	if rule.Pattern == "" {
		return fmt.Errorf("a pattern of http.ServeMux, or the name of a class")
	}
	r.rules[rule.Pattern] = rule
	if !strings.Contains(rule.Pattern, "/") {
		return nil // the name of a class
	}
	if r.mux == nil {
		r.mux = http.NewServeMux()
	}
	defer func() { // the mux panics where a pattern makes no sense, or conflicts with another
		if p := recover(); p != nil {
			err = fmt.Errorf("a pattern of http.ServeMux: %s", oneLine(fmt.Sprint(p)))
		}
	}()
	r.mux.Handle(rule.Pattern, http.NotFoundHandler())
	return nil
}

// oneLine leaves out where in our code patterns are registered, and why they
// conflict.
func oneLine(conflict string) string {
	first, _, _ := strings.Cut(conflict, ":\n")
	return registeredAt.ReplaceAllString(first, "")
}

var registeredAt = regexp.MustCompile(` \(registered at [^)]*\)`)

// name returns the name of the class of a call.
func (r *routes) name(e *accesslog.Entry) string {
	if len(e.Class) == 0 && len(e.Path) == 0 {
		return cmp.Or(string(e.Method), NoRoute)
	}
	r.key = append(append(append(append(append(append(append(r.key[:0],
		e.Class...), ' '), e.Method...), ' '), e.Host...), ' '), e.Path...)
	if e.Status == http.StatusNotFound {
		r.key = append(r.key, ' ')
	}
	if name, ok := r.known[string(r.key)]; ok {
		return name
	}
	name := r.find(e)
	if len(r.key) <= maxKnownKey {
		if len(r.known) == maxKnown {
			clear(r.known)
		}
		r.known[string(r.key)] = name
	}
	return name
}

func (r *routes) find(e *accesslog.Entry) string {
	class := string(e.Class)
	if _, ok := r.rules[class]; ok && class != "" {
		return class
	}
	if r.mux != nil && len(e.Path) > 0 {
		if pattern := r.match(e); pattern != "" {
			return pattern
		}
	}
	switch {
	case class != "":
		return class
	case e.Status == http.StatusNotFound:
		return NotFound
	}
	return routeOf(string(e.Method), string(e.Path))
}

// match returns the pattern that holds for a call, or "".
func (r *routes) match(e *accesslog.Entry) string {
	path := string(e.Path)
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	r.probe.Method, r.probe.Host = string(e.Method), hostOf(string(e.Host))
	if r.probe.Method == "" {
		r.probe.Method = http.MethodGet
	}
	for range 3 {
		r.probe.URL = &url.URL{Path: path}
		_, pattern := r.mux.Handler(&r.probe)
		if _, ok := r.rules[pattern]; ok {
			return pattern
		}
		if pattern == "" || pattern == path {
			break
		}
		path = pattern // the mux would redirect there: to a clean path, or one with a slash
	}
	return ""
}

// hostOf returns a host without its port.
func hostOf(host string) string {
	u := url.URL{Host: host}
	return strings.ToLower(u.Hostname())
}

// routeOf is a pattern of http.ServeMux for calls like this one.
func routeOf(method, target string) string {
	var b strings.Builder
	if method != "" {
		b.WriteString(method + " ")
	}
	target = clean(target)
	ids := 0
	for i, segment := range strings.Split(target, "/") {
		if i > 0 {
			b.WriteByte('/')
		}
		if i > maxSegments {
			b.WriteString("{rest...}")
			return b.String()
		}
		if !isID(segment) {
			b.WriteString(segment)
			continue
		}
		ids++
		if b.WriteString("{id"); ids > 1 {
			fmt.Fprint(&b, ids)
		}
		b.WriteByte('}')
	}
	if strings.HasSuffix(target, "/") {
		b.WriteString("{$}") // or it would stand for all below
	}
	return b.String()
}

// clean returns the path that the mux would redirect to.
func clean(target string) string {
	c := path.Clean("/" + target)
	if strings.HasSuffix(target, "/") && c != "/" {
		c += "/"
	}
	return c
}

const maxSegments = 10

// isID reports whether a segment of a path looks as if it names one of many
// things, or belongs to one: a number, a UUID, a hash, a token, an address, or
// what was escaped.
func isID(segment string) bool {
	digits, others, hex := 0, 0, true
	for _, c := range []byte(segment) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == '-':
			others++
		case c >= 'g' && c <= 'z' || c >= 'G' && c <= 'Z' || c == '_' || c == '.' || c == '~':
			others++
			hex = false
		default:
			return true
		}
	}
	switch {
	case digits == 0:
		return len(segment) >= 40
	case others == 0 || hex && len(segment) >= 8:
		return true
	}
	return len(segment) >= 20 || digits >= 6
}

package transporttest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A recorder is a reporter that keeps what is reported.
type recorder struct {
	mu       sync.Mutex
	problems []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// problems runs one check, with little patience: what is broken does not come.
func problems(t *testing.T, name string, wrap func(http.RoundTripper) http.RoundTripper) []string {
	t.Helper()
	for _, c := range checks {
		if c.name == name {
			r := &recorder{}
			c.run(&checker{report: r, wrap: wrap, patience: 100 * time.Millisecond})
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.problems
		}
	}
	t.Fatalf("no check %q", name)
	return nil
}

// Wrappers that do nothing wrong have nothing to hear.
func TestSoundWrappers(t *testing.T) {
	for name, wrap := range map[string]func(http.RoundTripper) http.RoundTripper{
		"nothing":       func(base http.RoundTripper) http.RoundTripper { return base },
		"a retrier":     func(base http.RoundTripper) http.RoundTripper { return &retrier{base: base} },
		"two in a pile": func(base http.RoundTripper) http.RoundTripper { return &retrier{base: &retrier{base: base}} },
	} {
		t.Run(name, func(t *testing.T) { Run(t, wrap) })
	}
}

// Each mistake is found by the check that is for it.
func TestBrokenWrappers(t *testing.T) {
	caught := map[string]bool{}
	for _, tt := range mistakes {
		t.Run(tt.name, func(t *testing.T) {
			found := problems(t, tt.check, func(base http.RoundTripper) http.RoundTripper { return tt.wrap(base) })
			if len(found) == 0 {
				t.Fatalf("%s did not find it", tt.check)
			}
			if !strings.Contains(strings.Join(found, "\n"), tt.says) {
				t.Errorf("%s says %q, want something of %q", tt.check, found, tt.says)
			}
		})
		caught[tt.check] = true
	}
	for _, c := range checks {
		if !caught[c.name] {
			t.Errorf("no mistake here is one for %s", c.name)
		}
	}
}

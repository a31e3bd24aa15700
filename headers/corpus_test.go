package headers

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"
)

// corpusSize is the least number of cases that the corpus must have, so that a
// lost file cannot look like success.
const corpusSize = 232

type corpusCase struct {
	ID      string
	Now     time.Time
	Headers [][2]string
	Expect  struct {
		Policies  []corpusPolicy
		Retry     *float64 `json:"retry_after_seconds"`
		Tolerance float64  `json:"tolerance_seconds"`
	}
}

type corpusPolicy struct {
	Name             *string
	Limit, Remaining *float64
	Burst, Cost      *float64
	Window           *float64 `json:"window_seconds"`
	Reset            *float64 `json:"reset_seconds"`
	Unit             string
}

func loadCorpus(tb testing.TB) []corpusCase {
	data, err := os.ReadFile("testdata/dialects.json")
	if err != nil {
		tb.Fatal(err)
	}
	var cases []corpusCase
	if err := json.Unmarshal(data, &cases); err != nil {
		tb.Fatal(err)
	}
	if len(cases) < corpusSize {
		tb.Fatalf("corpus has %d cases, want at least %d", len(cases), corpusSize)
	}
	return cases
}

func (c *corpusCase) header() http.Header {
	h := http.Header{}
	for _, kv := range c.Headers {
		h.Add(kv[0], kv[1])
	}
	return h
}

// Each response of the corpus is read as its vendor means it.
func TestCorpus(t *testing.T) {
	for _, c := range loadCorpus(t) {
		t.Run(c.ID, func(t *testing.T) {
			got := Parse(c.header(), c.Now)
			if !matchPolicies(c.Expect.Policies, got.Policies, c.Expect.Tolerance) {
				t.Errorf("policies = %s, want %s", show(got.Policies), showWant(c.Expect.Policies))
			}
			if !same(c.Expect.Retry, secondsOf(got.RetryAfter), c.Expect.Tolerance) {
				t.Errorf("retry after = %v, want %v", got.RetryAfter, str(c.Expect.Retry))
			}
		})
	}
}

// matchPolicies reports whether got is want in some order.
func matchPolicies(want []corpusPolicy, got []Policy, tolerance float64) bool {
	if len(want) != len(got) {
		return false
	}
	if len(want) == 0 {
		return true
	}
	for i := range got {
		rest := slices.Delete(slices.Clone(got), i, i+1)
		if want[0].matches(got[i], tolerance) && matchPolicies(want[1:], rest, tolerance) {
			return true
		}
	}
	return false
}

func (w corpusPolicy) matches(p Policy, tolerance float64) bool {
	windowed := Opt[time.Duration]{p.Window, p.Window != 0}
	return (w.Name == nil || *w.Name == p.Name) && w.Unit == p.Unit &&
		same(w.Limit, p.Limit, 0) && same(w.Remaining, p.Remaining, 0) && same(w.Burst, p.Burst, 0) &&
		same(w.Cost, p.Cost, 0) && same(w.Window, secondsOf(windowed), 0) && same(w.Reset, secondsOf(p.Reset), tolerance)
}

func same(want *float64, got Opt[float64], tolerance float64) bool {
	if want == nil || !got.OK {
		return want == nil && !got.OK
	}
	return math.Abs(*want-got.V) <= max(tolerance, 0.001)
}

func secondsOf(d Opt[time.Duration]) Opt[float64] { return Opt[float64]{d.V.Seconds(), d.OK} }

func str[T any](p *T) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(*p)
}

func opt[T any](o Opt[T]) string {
	if !o.OK {
		return "-"
	}
	return fmt.Sprint(o.V)
}

func show(list []Policy) (s string) {
	for _, p := range list {
		s += fmt.Sprintf("\n  {%q %s limit %s window %v burst %s remaining %s reset %s cost %s (%s, %s)}",
			p.Name, p.Unit, opt(p.Limit), p.Window, opt(p.Burst), opt(p.Remaining), opt(p.Reset), opt(p.Cost), p.Kind, p.Dialect)
	}
	return s
}

func showWant(list []corpusPolicy) (s string) {
	for _, p := range list {
		s += fmt.Sprintf("\n  {%s %s limit %s window %s burst %s remaining %s reset %s cost %s}",
			str(p.Name), p.Unit, str(p.Limit), str(p.Window), str(p.Burst), str(p.Remaining), str(p.Reset), str(p.Cost))
	}
	return s
}

package limited

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/headers"
)

// The second call of two that a bucket of 2 admits, and the one that it then
// refuses, half a second past the hour.
func TestDialects(t *testing.T) {
	for _, tt := range []struct{ dialect, admitted, refused string }{
		{"ietf",
			`Ratelimit: "default";r=0;t=2 | Ratelimit-Policy: "default";q=60;w=60;burst=2`,
			`Ratelimit: "default";r=0;t=2 | Ratelimit-Policy: "default";q=60;w=60;burst=2`},
		{"draft-07",
			`Ratelimit: limit=60, remaining=0, reset=2 | Ratelimit-Policy: 60;w=60;burst=2`,
			`Ratelimit: limit=60, remaining=0, reset=2 | Ratelimit-Policy: 60;w=60;burst=2`},
		{"draft-06",
			`Ratelimit-Limit: 60 | Ratelimit-Policy: 60;w=60;burst=2 | Ratelimit-Remaining: 0 | Ratelimit-Reset: 2`,
			`Ratelimit-Limit: 60 | Ratelimit-Policy: 60;w=60;burst=2 | Ratelimit-Remaining: 0 | Ratelimit-Reset: 2`},
		{"x-ratelimit",
			`X-Ratelimit-Limit: 2 | X-Ratelimit-Remaining: 0 | X-Ratelimit-Reset: 2`,
			`X-Ratelimit-Limit: 2 | X-Ratelimit-Remaining: 0 | X-Ratelimit-Reset: 2`},
		{"x-ratelimit-epoch", // full again at 2.5 s past the hour
			`X-Ratelimit-Limit: 2 | X-Ratelimit-Remaining: 0 | X-Ratelimit-Reset: 946684803`,
			`X-Ratelimit-Limit: 2 | X-Ratelimit-Remaining: 0 | X-Ratelimit-Reset: 946684803`},
		{"github",
			`X-Ratelimit-Limit: 2 | X-Ratelimit-Remaining: 0 | X-Ratelimit-Reset: 946684803 | X-Ratelimit-Resource: core | X-Ratelimit-Used: 2`,
			`X-Ratelimit-Limit: 2 | X-Ratelimit-Remaining: 0 | X-Ratelimit-Reset: 946684803 | X-Ratelimit-Resource: core | X-Ratelimit-Used: 2`},
		{"remaining", `Ratelimit-Remaining: 0`, `Ratelimit-Remaining: 0`},
		{"nothing", ``, ``},
	} {
		t.Run(tt.dialect, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(500 * time.Millisecond)
				h := server(t, "token-bucket", "60/min", 2)
				h.Dialect = byName(t, tt.dialect, Dialects())
				var told []string
				h.Observe = func(c Call) { told = append(told, lines(c.Header)) }
				for range 3 {
					call(t, h)
				}
				if told[1] != tt.admitted || told[2] != tt.refused {
					t.Errorf("admitted: %s\n refused: %s\nwant %s\n     %s", told[1], told[2], tt.admitted, tt.refused)
				}
			})
		})
	}
	if want := 8; len(Dialects()) != want {
		t.Errorf("%d dialects, but %d are tested", len(Dialects()), want)
	}
}

func lines(header map[string][]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		all = append(all, fmt.Sprintf("%s: %s", name, header[name][0]))
	}
	return strings.Join(all, " | ")
}

// Our own reader understands every dialect that has something to say.
func TestDialectsCanBeRead(t *testing.T) {
	for _, d := range Dialects() {
		h := server(t, "token-bucket", "60/min", 5)
		h.Dialect = d
		got := headers.Parse(call(t, h).Header, time.Now())
		if d.Name == "nothing" {
			if len(got.Policies) > 0 {
				t.Errorf("nothing: %+v", got.Policies)
			}
			continue
		}
		if len(got.Policies) != 1 || got.Policies[0].Remaining != headers.Some(4.0) {
			t.Errorf("%s: %+v, want one policy of which 4 remain", d.Name, got.Policies)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct{ form, want string }{
		{"seconds", "2"},
		{"exact", "1.25"},
		{"date", "Sat, 01 Jan 2000 00:00:03 GMT"}, // of 2.05 s past midnight, rounded up
		{"none", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(800 * time.Millisecond)
			h := server(t, "token-bucket", "4/5s", 1)
			h.RetryAfter = byName(t, tt.form, RetryAfters())
			if got := call(t, h).Header.Get("Retry-After"); got != "" {
				t.Errorf("%s: an admitted call is told %q", tt.form, got)
			}
			if got := call(t, h).Header.Get("Retry-After"); got != tt.want {
				t.Errorf("%s: Retry-After %q, want %q", tt.form, got, tt.want)
			}
		})
	}
}

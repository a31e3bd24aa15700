package headers

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// Each line is listed, with how it was read or why not.
func TestExplain(t *testing.T) {
	for _, tt := range []struct{ fields, line, role, read, ignored string }{
		{"X-RateLimit-Limit: 10", "X-Ratelimit-Limit", "limit", "10", ""},
		{"X-RateLimit-Limit: 10\nX-RateLimit-Reset: 1796050860", "X-Ratelimit-Reset", "reset", "1m0s", ""},
		{"X-RateLimit-Limit: ten", "X-Ratelimit-Limit", "limit", "", "not understood"},
		{"X-RateLimit-Limit:", "X-Ratelimit-Limit", "limit", "", "empty"},
		{"X-RateLimit-Remaining: -1", "X-Ratelimit-Remaining", "remaining", "", "negative"},
		{"X-RateLimit-Limit: " + strings.Repeat("1", 5000), "X-Ratelimit-Limit", "limit", "", "too long"},
		{"X-RateLimit-Limit: 10\nX-RateLimit-Limit: 20", "X-Ratelimit-Limit", "limit", "20", "repeated"},
		{"X-RateLimit-Limit: 5,000\nX-RateLimit-Remaining: 1", "X-Ratelimit-Limit", "limit", "5,000", "bare list"},
		{"X-RateLimit-Reset: 10", "X-Ratelimit-Reset", "reset", "10s", "no limit"},
		{"X-RateLimit-Limit: 1m\nX-RateLimit-Remaining: 3", "X-Ratelimit-Limit", "window", "1m", ""},
		{"X-RateLimit-Limit: 10\nAge: 7", "X-Ratelimit-Limit", "", "", "cache"},
		{"X-RateLimit-Scope: user", "X-Ratelimit-Scope", "", "", `"scope"`},
		{"X-RateLimit-Resource: core\nX-RateLimit-Limit: 10", "X-Ratelimit-Resource", "name", "core", ""},
		{"X-RateLimit-Resource:", "X-Ratelimit-Resource", "name", "", "empty"},
		{`RateLimit: "a";r=1`, "Ratelimit", "state", `"a" r=1`, ""},
		{"RateLimit: \"a\";r=1\nRateLimit-Reset: 5", "Ratelimit", "state", `"a" r=1`, ""},
		{`RateLimit: "a`, "Ratelimit", "state", "", "structured field"},
		{`RateLimit-Policy: "a";Q=1`, "Ratelimit-Policy", "policies", "", "structured field"},
		{"RateLimit-Policy:", "Ratelimit-Policy", "policies", "", "empty"},
		{"Retry-After: 1m", "Retry-After", "retry after", "1m0s", ""},
		{"Retry-After: soon", "Retry-After", "retry after", "", "not understood"},
		{"Sforce-Limit-Info: api-usage=1/2", "Sforce-Limit-Info", "limits", "", ""},
		{"Zendesk-RateLimit-Search: total=5; remaining=3", "Zendesk-Ratelimit-Search", "limits", "total=5; remaining=3", ""},
		{"Beta-Retry-After: 5", "Beta-Retry-After", "", "", `"retry"`},
		{"Sforce-Limit-Info: nothing", "Sforce-Limit-Info", "limits", "", "not understood"},
	} {
		report := Explain(header(tt.fields), noon)
		found := false
		for _, f := range report.Fields {
			if f.Name == tt.line && f.Role == tt.role && f.Read == tt.read && len(f.Value) <= 256 &&
				strings.Contains(f.Ignored, tt.ignored) && (f.Ignored == "") == (tt.ignored == "") {
				found = true
			}
		}
		if !found {
			t.Errorf("Explain(%.80q) has no line %q, %q, %q, %q:\n%+v", tt.fields, tt.line, tt.role, tt.read, tt.ignored, report.Fields)
		}
	}
}

// Explain reads as Parse does, and says when an answer is from a cache.
func TestExplainResult(t *testing.T) {
	for _, c := range loadCorpus(t) {
		report := Explain(c.header(), c.Now)
		if want := Parse(c.header(), c.Now); !reflect.DeepEqual(report.Result, want) {
			t.Errorf("%s: Explain = %+v, Parse = %+v", c.ID, report.Result, want)
		}
	}
	if !Explain(header("Age: 1"), noon).Cached || Explain(header("Age: 0"), noon).Cached {
		t.Error("Cached does not follow Age")
	}
}

// What a field group lends to others is not reported as useless.
func TestExplainAdopted(t *testing.T) {
	h := header("X-RateLimit-Limit-Minute: 10\nX-RateLimit-Remaining: 4\nX-RateLimit-Reset: 9\nX-RateLimit-Query-Cost: 2")
	for _, f := range Explain(h, noon).Fields {
		if f.Ignored != "" {
			t.Errorf("%s ignored: %s", f.Name, f.Ignored)
		}
	}
}

func TestOverrides(t *testing.T) {
	h := header("X-RateLimit-Limit: 10\nX-RateLimit-Reset: 600000\nX-RateLimit-Limit-Minute: 5\nX-RateLimit-Bucket: b\nRetry-After: 3")
	for _, tt := range []struct {
		name string
		o    Overrides
		want string
	}{
		{"none", Overrides{}, "name=b limit=10 reset=166h40m0s, name=b limit=5 window=1m0s, retry=3s"},
		{"unit", Overrides{ResetUnit: time.Millisecond}, "name=b limit=10 reset=10m0s, name=b limit=5 window=1m0s, retry=3s"},
		{"window", Overrides{Window: time.Hour}, "name=b limit=10 window=1h0m0s reset=166h40m0s, name=b limit=5 window=1m0s, retry=3s"},
		{"burst", Overrides{Burst: Some(2.0)}, "name=b limit=10 burst=2 reset=166h40m0s, name=b limit=5 window=1m0s burst=2, retry=3s"},
		{"by name", Overrides{ByName: map[string]Shape{"b": {time.Second, Some(3.0)}, "c": {time.Hour, Some(4.0)}}},
			"name=b limit=10 window=1s burst=3 reset=166h40m0s, name=b limit=5 window=1s burst=3, retry=3s"},
		{"nonsense", Overrides{ResetUnit: -1, Window: -1}, "name=b limit=10 reset=166h40m0s, name=b limit=5 window=1m0s, retry=3s"},
	} {
		got := tt.o.Parse(h, noon)
		if s := strings.Join(brief(got), ", "); s != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, s, tt.want)
		}
		if report := tt.o.Explain(h, noon); !reflect.DeepEqual(report.Result, got) {
			t.Errorf("%s: Explain = %+v, want %+v", tt.name, report.Result, got)
		}
	}
}

// A value that is impossible in the given unit is ignored, an instant is not.
func TestOverridesImpossible(t *testing.T) {
	o := Overrides{ResetUnit: time.Hour}
	if got := brief(o.Parse(header("X-RateLimit-Limit: 1\nX-RateLimit-Reset: 100000"), noon)); got[0] != "limit=1" {
		t.Errorf("100000 hours: %q", got)
	}
	if got := brief(o.Parse(header("X-RateLimit-Limit: 1\nX-RateLimit-Reset: 1796050860"), noon)); got[0] != "limit=1 reset=1m0s" {
		t.Errorf("an instant: %q", got)
	}
}

package headers

import "testing"

// Each member of an IETF field is listed with what counts in it, and with what
// does not.
func TestExplainMembers(t *testing.T) {
	for _, tt := range []struct{ field, read, ignored string }{
		{`RateLimit-Policy: "a";q=10;w=1;burst=5`, `"a" q=10 w=1 burst=5`, ""},
		{`RateLimit-Policy: "a";q=10;qu="content-bytes";pk=:YQ==:, b;q=2`, `"a" q=10 qu="content-bytes" pk=:YQ==:, b q=2`, ""},
		{`RateLimit-Policy: "a";q=10;w=0;r=3;flag;name="x"`, `"a" q=10 (dropped: w r flag name)`, ""},
		{`RateLimit-Policy: "a";q="10", "b";q=1`, `"a" (dropped: no q), "b" q=1`, ""},
		{`RateLimit-Policy: ("a" "b"), "c";q=1`, `(dropped: an inner list), "c" q=1`, ""},
		{`RateLimit-Policy: 10, 10;w=1;name="x";q=7;pk=:YQ==:`, `10, 10 w=1 name="x" (dropped: q pk)`, ""},
		{`RateLimit-Policy: "a"`, `"a" (dropped: no q)`, memberReason},
		{`RateLimit: "a";r=7;t=1, "b";t=31622400`, `"a" r=7 t=1, "b" t=31622400`, ""},
		{`RateLimit: "a";r=7;t=31622401;q=9;w=1`, `"a" r=7 (dropped: t q w)`, ""},
		{`RateLimit: "a";q=9`, `"a" (dropped: neither r nor t)`, memberReason},
		{`RateLimit: limit=10, remaining=5, reset=3`, `limit=10 remaining=5 reset=3`, ""},
		{`RateLimit: limit=10, remaining=4.5, reset=99999999, foo=1`, `limit=10 (dropped: remaining reset foo)`, ""},
		{`RateLimit: limit=?0`, `(dropped: limit)`, memberReason},
		{`X-RateLimit-Policy: "a";q=1`, `"a" q=1`, ""},
	} {
		report := Explain(header(tt.field), noon)
		if f := report.Fields[0]; f.Read != tt.read || f.Ignored != tt.ignored || f.Dialect != "ietf" {
			t.Errorf("Explain(%s)\ngot  %q, %q, dialect %q\nwant %q, %q, dialect ietf", tt.field, f.Read, f.Ignored, f.Dialect, tt.read, tt.ignored)
		}
	}
}

// Each line is described by itself, if it can be.
func TestExplainMembersOfLines(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		read  [2]string
	}{
		{[]string{`"a";q=1`, `"b";q=2`}, [2]string{`"a" q=1`, `"b" q=2`}},
		{[]string{`"a";q=1;pk=:`, `YQ==:`}, [2]string{"", ""}}, // no structured field
		{[]string{`("a"`, `"b"), "c";q=1`}, [2]string{"", ""}},
	} {
		report := Explain(map[string][]string{"Ratelimit-Policy": tt.lines}, noon)
		for i, f := range report.Fields {
			if f.Read != tt.read[i] {
				t.Errorf("%q: line %d reads %q, want %q", tt.lines, i, f.Read, tt.read[i])
			}
		}
	}
}

// A line has the dialect of the policy that it makes.
func TestExplainDialect(t *testing.T) {
	for fields, want := range map[string]string{
		`RateLimit: "a";r=1`:                      "ietf",
		`RateLimit: limit=1, remaining=1`:         "ietf",
		`RateLimit-Policy: "a";q=1`:               "ietf",
		`Acme-RateLimit-Policy: "a";q=1`:          "acme-ratelimit",
		"X-RateLimit-Limit: 7":                    "x-ratelimit",
		"RateLimit: 7":                            "ratelimit",
		"X-Sentry-Rate-Limits: 60:error:key":      "x-sentry-rate-limits",
		`RateLimit: "a";q=1` + "\nX-RateLimit: 5": "x-ratelimit",
	} {
		report := Explain(header(fields), noon)
		last := report.Fields[len(report.Fields)-1]
		if len(report.Policies) != 1 || report.Policies[0].Dialect != want || last.Dialect != want {
			t.Errorf("%s: policies %+v, field %+v, want dialect %s", fields, report.Policies, last, want)
		}
	}
	for name, want := range map[string]string{
		"Retry-After": "retry-after", "X-Retry-After": "x-retry-after", "Acme-Retry-In": "acme-retry-after",
		"X-RateLimit-Retry-After": "x-ratelimit", "X-Throttle-Wait-Seconds": "x-throttle-wait-seconds",
	} {
		if got := Explain(header(name+": 5"), noon).Fields[0].Dialect; got != want {
			t.Errorf("%s has dialect %q, want %q", name, got, want)
		}
	}
}

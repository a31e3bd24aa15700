package headers

import (
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
)

// check fails if a result breaks a promise that holds whatever the server sent.
func check(t *testing.T, r Result) {
	t.Helper()
	delay := func(what string, d Opt[time.Duration]) {
		if d.V < 0 || d.V > horizon || !d.OK && d.V != 0 {
			t.Errorf("%s = %+v", what, d)
		}
	}
	count := func(what string, n Opt[float64]) {
		if math.IsNaN(n.V) || math.IsInf(n.V, 0) || n.V < 0 || !n.OK && n.V != 0 {
			t.Errorf("%s = %+v", what, n)
		}
	}
	delay("RetryAfter", r.RetryAfter)
	for _, p := range r.Policies {
		delay("Reset", p.Reset)
		count("Limit", p.Limit)
		count("Burst", p.Burst)
		count("Remaining", p.Remaining)
		count("Cost", p.Cost)
		if p.Window < 0 || p.Unit == "" || p.Dialect == "" {
			t.Errorf("policy = %+v", p)
		}
		if p.Limit.OK && p.Remaining.V > max(p.Limit.V, p.Burst.V) {
			t.Errorf("more remains than there can be: %+v", p)
		}
	}
}

// checkFields fails if a line cannot be shown, or if no line has the dialect of a
// policy.
func checkFields(t *testing.T, r Report) {
	t.Helper()
	dialects := map[string]bool{}
	for _, f := range r.Fields {
		dialects[f.Dialect] = true
		if f.Dialect == "" || len(f.Value) > 256 || len(f.Read) > 256 {
			t.Errorf("field = %+v", f)
		}
	}
	for _, p := range r.Policies {
		if !dialects[p.Dialect] {
			t.Errorf("no field has the dialect of %+v: %+v", p, r.Fields)
		}
	}
}

// FuzzParse feeds raw header lines. What Parse makes of them keeps every promise
// and does not depend on the order of a map, on the case of names, or on fields
// that are none of its business.
func FuzzParse(f *testing.F) {
	for _, c := range slices.Concat(moreCases, providerCases) {
		f.Add(strings.ReplaceAll(c.fields, "\t", ""))
	}
	f.Fuzz(func(t *testing.T, lines string) {
		h := header(lines)
		got := Parse(h, noon)
		check(t, got)
		report := Explain(h, noon)
		if !reflect.DeepEqual(report.Result, got) {
			t.Errorf("Explain = %+v, Parse = %+v", report.Result, got)
		}
		checkFields(t, report)
		if wait := RetryAfter(h, noon); wait != got.RetryAfter {
			t.Errorf("RetryAfter = %v, Parse = %v", wait, got.RetryAfter)
		}
		if !Any(h) && !reflect.DeepEqual(got, Result{}) {
			t.Errorf("Any is false, but Parse = %+v", got)
		}
		if again := Parse(shuffle(h), noon); !reflect.DeepEqual(sorted(again), sorted(got)) {
			t.Errorf("in lower case and company: %+v, want %+v", again, got)
		}
	})
}

// shuffle returns the same fields under names that are not canonical, in a new
// map, among others.
func shuffle(h http.Header) http.Header {
	out := http.Header{"x-trace": {"7"}, "Server": {"none"}, "X-Powered-By": {"9"}}
	for name, lines := range h {
		if isToken(name) {
			name = strings.ToLower(name)
		}
		out[name] = lines
	}
	return out
}

// isToken reports whether net/http would change the case of a name.
func isToken(name string) bool {
	return http.CanonicalHeaderKey(strings.ToLower(name)) == name
}

func sorted(r Result) []string {
	list := brief(r)
	slices.Sort(list)
	return list
}

// A number is a plain decimal or nothing.
func FuzzReadNumber(f *testing.F) {
	for _, s := range []string{"", "0", "1.5", "007", "-1", "1e9", "0x1p4", "NaN", "1_000", "٣", "999999999999999999", "1.", ".5", "1.000000000000000001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := readNumber(s)
		if v := n.float(); math.IsNaN(v) || v < 0 || v > 1e18 || n.nano >= 1e9 {
			t.Errorf("readNumber(%q) = %+v", s, n)
		}
		if ok && strings.Trim(s, "0123456789.") != "" || ok && strings.Count(s, ".") > 1 {
			t.Errorf("readNumber(%q) took it", s)
		}
		if d := n.times(time.Hour); d < 0 {
			t.Errorf("readNumber(%q).times(hour) = %v", s, d)
		}
	})
}

// A delay is never negative and never beyond the horizon, whatever the unit and
// the server's clock.
func FuzzDelay(f *testing.F) {
	for _, s := range []string{
		"30", "1796050860", "1796050860000", "2026-11-30T15:00:30Z", "2026-11-30T15:00Z", "Mon, 30 Nov 2026 15:00:30 GMT",
		"Mon Nov 30 2026 10:00:30 GMT-0500 (EST)", "6m0s", "00:01:30", "9223372036854775807", "106752d", "-5s", "9999-12-31T23:59:60+23:59",
	} {
		f.Add(s, "Mon, 30 Nov 2026 14:55:00 GMT", int64(time.Millisecond))
		f.Add("Mon, 30 Nov 2026 14:55:00 GMT", s, int64(0))
	}
	f.Fuzz(func(t *testing.T, s, date string, unit int64) {
		for _, now := range []time.Time{noon, y2k, {}} {
			c := clock{now: now, dateText: date}
			d, ok := c.delay(s, time.Duration(max(unit, 0)))
			if d < 0 || ok && d > horizon {
				t.Errorf("delay(%q, %v) = %v, %v at %v, Date %q", s, unit, d, ok, now, date)
			}
		}
		if at, ok := readInstant(s); ok && at.Year() > 9999 && !strings.ContainsAny(s, "+-") {
			t.Errorf("readInstant(%q) = %v", s, at)
		}
	})
}

// A date as net/http reads it is read the same.
func FuzzReadFixdate(f *testing.F) {
	f.Add(int64(0))
	f.Add(noon.Unix())
	f.Fuzz(func(t *testing.T, sec int64) {
		want := time.Unix(sec&(1<<37-1), 0).UTC()
		s := want.Format(http.TimeFormat)
		if got, ok := readFixdate(s); len(s) == 29 && (!ok || !got.Equal(want)) {
			t.Errorf("readFixdate(%q) = %v, %v", s, got, ok)
		}
		s = want.Format(time.RFC3339)
		if got, ok := readRFC3339(s); len(s) == 20 && (!ok || !got.Equal(want)) {
			t.Errorf("readRFC3339(%q) = %v, %v", s, got, ok)
		}
	})
}

// A span that Go prints is read back.
func FuzzReadSpan(f *testing.F) {
	f.Add(int64(0), "1h2m3s")
	f.Add(int64(math.MaxInt64), "99999999999999999h1s")
	f.Fuzz(func(t *testing.T, n int64, s string) {
		d := time.Duration(max(n, 0))
		if got, ok := readSpan(d.String()); !ok || got != d {
			t.Errorf("readSpan(%q) = %v, %v", d, got, ok)
		}
		if got, _ := readSpan(s); got < 0 {
			t.Errorf("readSpan(%q) = %v", s, got)
		}
		if got, _ := readColons(s); got < 0 {
			t.Errorf("readColons(%q) = %v", s, got)
		}
	})
}

// The fast scanner and httpsfv agree on all that the scanner takes.
func FuzzReadList(f *testing.F) {
	for _, c := range slices.Concat(moreCases, providerCases) {
		f.Add(c.fields)
	}
	for _, s := range []string{`"a";q=100;w=60,"b";r=1`, `"a";pk=:YWxpY2U=:`, `10, 10;w=1;name="x"`, `"a";q=-1`, `a;q=1`, `"a" ;q=1`, `"a"; q=1`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fast, ok := (&scanner{s: s}).members(nil, false)
		if !ok {
			return
		}
		members, err := httpsfv.UnmarshalList([]string{s})
		if err != nil {
			t.Fatalf("%q: httpsfv: %v", s, err)
		}
		var slow []item
		for _, m := range members {
			slow = append(slow, convertItem(m.(httpsfv.Item)))
		}
		if !slices.Equal(fast, slow) {
			t.Errorf("%q:\nfast %+v\nslow %+v", s, fast, slow)
		}
	})
}

func FuzzReadDictionary(f *testing.F) {
	for _, s := range []string{
		"limit=100, remaining=50, reset=30", "limit=100;w=60,reset=1", "a=1,a=2", "a=1, b", `a="x";q=1`, "a=(1 2)", "a=1,", "-a=1", "a=1.5",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fast, ok := (&scanner{s: s}).members(nil, true)
		if !ok {
			return
		}
		dict, err := httpsfv.UnmarshalDictionary([]string{s})
		if err != nil {
			t.Fatalf("%q: httpsfv: %v", s, err)
		}
		var slow []item
		for _, key := range dict.Names() {
			m, _ := dict.Get(key)
			it := convertItem(m.(httpsfv.Item))
			it.name = key
			slow = append(slow, it)
		}
		if !slices.Equal(fast, slow) {
			t.Errorf("%q:\nfast %+v\nslow %+v", s, fast, slow)
		}
	})
}

// The meaning of a name depends on no letter's case.
func FuzzClassify(f *testing.F) {
	for _, c := range slices.Concat(moreCases, providerCases) {
		for name := range header(c.fields) {
			f.Add(name)
		}
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !printable(name) {
			return
		}
		got, upper := classify(name), classify(strings.ToUpper(name))
		if !reflect.DeepEqual(got, upper) {
			t.Errorf("classify(%q) = %+v, in upper case %+v", name, got, upper)
		}
		if got.kind == counter && (got.role == noRole || got.label == "" || got.window < 0) {
			t.Errorf("classify(%q) = %+v", name, got)
		}
	})
}

// What Set writes is read back.
func FuzzSet(f *testing.F) {
	f.Add("a", "key", "bytes", 100.0, 60.0, 200.0, 50.0, 30.0, byte(255))
	f.Add("", "", "", 0.0, 0.0, 0.0, 0.0, 0.0, byte(3))
	f.Add(`"\`, "\x00", "llm-tokens", 1e15, 1e9, math.Inf(1), math.NaN(), -1.0, byte(255))
	f.Fuzz(func(t *testing.T, name, key, unit string, q, w, b, r, reset float64, has byte) {
		p := Policy{
			Name: name, PartitionKey: key, Unit: unit, Dialect: "ietf", Window: toSeconds(max(w, 0)),
			Limit: Opt[float64]{q, has&1 != 0}, Remaining: Opt[float64]{r, has&2 != 0}, Burst: Opt[float64]{b, has&4 != 0},
			Reset: Opt[time.Duration]{toSeconds(max(reset, 0)), has&8 != 0},
		}
		h := http.Header{"Ratelimit": {"old"}}
		if err := Set(h, p); err != nil {
			if h.Get("RateLimit") != "old" {
				t.Errorf("Set failed and wrote %v", h)
			}
			return
		}
		got := Parse(h, noon)
		check(t, got)
		if want := readBack(p); len(got.Policies) != 1 || got.Policies[0] != want {
			t.Errorf("wrote %v\ngot  %+v\nwant %+v", h, got.Policies, want)
		}
	})
}

// readBack returns how a policy reads after Set has written it.
func readBack(p Policy) Policy {
	for _, o := range []*Opt[float64]{&p.Limit, &p.Remaining, &p.Burst} {
		if !o.OK {
			*o = Opt[float64]{}
		}
		o.V = math.Floor(o.V)
	}
	if !p.Reset.OK {
		p.Reset = Opt[time.Duration]{}
	}
	if !p.Limit.OK {
		p.Window = 0
	}
	p.Name = p.policyName()
	p.Unit = unitName(Opt[string]{p.Unit, true})
	if p.Unit == "" {
		p.Unit = "requests"
	}
	return clamp(p)
}

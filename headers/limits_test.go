package headers

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// What a response costs in allocations.
func TestAllocations(t *testing.T) {
	ietf25 := with(ordinaryHeader(23), "RateLimit-Policy", `"default";q=100;w=60`, "RateLimit", `"default";r=50;t=30`)
	draft7 := with(ordinaryHeader(23), "RateLimit-Policy", "100;w=60", "RateLimit", "limit=100, remaining=50, reset=30")
	for _, tt := range []struct {
		name string
		f    func()
		max  float64
	}{
		{"Any", func() { Any(ordinaryHeader25) }, 0},
		{"nothing published", func() { Parse(ordinaryHeader25, noon) }, 0},
		{"empty", func() { Parse(nil, noon) }, 0},
		{"trio", func() { Parse(trio25, noon) }, 1},
		{"IETF", func() { Parse(ietf25, noon) }, 1},
		{"draft-07", func() { Parse(draft7, noon) }, 2},
		{"Retry-After", func() { Parse(retry25, noon) }, 0},
		{"RetryAfter", func() { RetryAfter(retry25, noon) }, 0},
		{"Riot", func() { Parse(riot25, noon) }, 2},
	} {
		tt.f() // names are learned
		if got := testing.AllocsPerRun(100, tt.f); got > tt.max {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.max)
		}
	}
}

var (
	ordinaryHeader25 = ordinaryHeader(25)
	trio25           = trio(25)
	retry25          = with(ordinaryHeader(24), "Retry-After", "120")
	riot25           = with(ordinaryHeader(23), "X-App-Rate-Limit", "20:1,100:120", "X-App-Rate-Limit-Count", "3:1,57:120")
)

// A server that makes up names fills no memory, and what it does to the memo
// changes no result.
func TestManyNames(t *testing.T) {
	for i := range 20_000 {
		classOf("X-Ratelimit-Remaining-" + strconv.Itoa(i))
		classOf("X-Other-" + strconv.Itoa(i))
	}
	for _, tt := range []struct {
		name string
		want kind
	}{{"X-Ratelimit-Limit", counter}, {"Content-Type", ordinary}, {"Retry-After", retry}, {"Date", context}} {
		if got := classOf(tt.name).kind; got != tt.want {
			t.Errorf("classOf(%q).kind = %v, want %v", tt.name, got, tt.want)
		}
	}
	if Any(ordinaryHeader25) || !Any(trio25) {
		t.Error("Any is wrong after many names")
	}
}

// A name of absurd length is an ordinary one, so that those remembered stay small.
func TestLongNames(t *testing.T) {
	name := "X-Ratelimit-Limit-" + strings.Repeat("a", maxName)
	if got := classOf(name[:maxName]).kind; got != counter {
		t.Errorf("a name of %d bytes is of kind %v, want a counter", maxName, got)
	}
	if got := classOf(name[:maxName+1]).kind; got != ordinary {
		t.Errorf("a name of %d bytes is of kind %v, want an ordinary one", maxName+1, got)
	}
}

// Names of any length that differ anywhere differ in their hash.
func TestHash(t *testing.T) {
	seen := map[uint64]string{}
	for n := range 70 {
		for i := range n + 1 {
			name := []byte(strings.Repeat("a", n))
			if i < n {
				name[i] = 'b'
			}
			h := hash(string(name))
			if old, ok := seen[h]; ok {
				t.Errorf("hash(%q) = hash(%q)", name, old)
			}
			seen[h] = string(name)
		}
	}
}

// A response with more fields than any honest one is not read, but for its
// Retry-After.
func TestCrowd(t *testing.T) {
	h := http.Header{"Retry-After": {"7"}}
	for i := range 5000 {
		h.Set("X-RateLimit-Limit-"+strconv.Itoa(i), "1")
	}
	got := Parse(h, noon)
	if len(got.Policies) != 0 || got.RetryAfter.V.Seconds() != 7 {
		t.Errorf("%d policies, retry after %v", len(got.Policies), got.RetryAfter)
	}
	if report := Explain(h, noon); len(report.Fields) != 5001 || !strings.Contains(report.Fields[1].Ignored+report.Fields[0].Ignored, "too many") {
		t.Errorf("%d fields, first %+v", len(report.Fields), report.Fields[:2])
	}
}

// Each of these is as long as a server can make it, and reads as nothing or as
// little.
func TestLongValues(t *testing.T) {
	for _, tt := range []struct {
		field, value string
		policies     int
	}{
		{"RateLimit-Policy", strings.Repeat(`"a";q=1,`, 500) + `"a";q=1`, 0},
		{"RateLimit-Policy", strings.Repeat(`1;w=1,`, 600) + `1;w=1`, 0},
		{"X-RateLimit-Limit", strings.Repeat(`1;w=1,`, 600) + `1;w=1`, 0},
		{"X-App-Rate-Limit", strings.Repeat(`1:1,`, 1000) + `1:1`, 0},
		{"X-Sentry-Rate-Limits", strings.Repeat(`1:a:b,`, 600) + `1:a:b`, maxItems},
		{"Auth0-Client-Quota-Limit", strings.Repeat(`b=per_day;q=1,`, 250) + `b=per_day;q=1`, maxItems},
		{"RateLimit-Policy", strings.Repeat("(", 4000), 0},
		{"X-App-Usage", strings.Repeat("[", 4000), 0},
		{"X-RateLimit-Limit", strings.Repeat("9", 4000), 0},
		{"Retry-After", strings.Repeat("-1,", 1300), 0},
	} {
		h := http.Header{}
		h.Set(tt.field, tt.value)
		if got := Parse(h, noon); len(got.Policies) != tt.policies || got.RetryAfter.OK {
			t.Errorf("%s: %.20s… gives %d policies, want %d", tt.field, tt.value, len(got.Policies), tt.policies)
		}
	}
}

// Any number of goroutines may read at once, while the memo forgets.
func TestConcurrent(t *testing.T) {
	want := Parse(trio25, noon)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				classOf("X-Ratelimit-Limit-" + strconv.Itoa(i*4+g))
				if got := Parse(trio25, noon); !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v, want %+v", got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

// A long list over many lines does not grow into a longer answer.
func TestManyLines(t *testing.T) {
	h := http.Header{}
	for range 500 {
		h.Add("X-RateLimit-Limit", "9, 9;w=1, 8;w=2, 7;w=3")
	}
	if got := Parse(h, noon); len(got.Policies) > maxItems {
		t.Errorf("%d policies", len(got.Policies))
	}
	h = http.Header{}
	for range 500 {
		h.Add("Zendesk-RateLimit-Search", "total=5; remaining=3")
	}
	if got := Parse(h, noon); len(got.Policies) != maxItems {
		t.Errorf("%d policies of pairs, want %d", len(got.Policies), maxItems)
	}
}

// Fields under two spellings are one field, up to the bound.
func TestTwoSpellings(t *testing.T) {
	items := strings.TrimSuffix(strings.Repeat(`"a";r=1, `, maxItems), ", ")
	h := http.Header{"ratelimit": {items}, "Ratelimit": {items}, "X-Ratelimit": {items}}
	if got := Parse(h, noon); len(got.Policies) != maxItems {
		t.Errorf("%d policies, want %d", len(got.Policies), maxItems)
	}
	h = http.Header{"ratelimit-policy": {`"a";q=1`}, "Ratelimit-Policy": {`"b";q=2`}}
	if got := Parse(h, noon); len(got.Policies) != 2 {
		t.Errorf("%+v, want a and b", got.Policies)
	}
}

// The order of a map does not show.
func TestOrder(t *testing.T) {
	for _, c := range loadCorpus(t) {
		want := Parse(c.header(), c.Now)
		for range 5 {
			if got := Parse(c.header(), c.Now); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %+v, then %+v", c.ID, want, got)
			}
		}
	}
}

// Any agrees with Parse: what it passes over holds nothing.
func TestAny(t *testing.T) {
	for _, c := range loadCorpus(t) {
		got := Parse(c.header(), c.Now)
		if (len(got.Policies) > 0 || got.RetryAfter.OK) && !Any(c.header()) {
			t.Errorf("%s: Any is false, Parse = %+v", c.ID, got)
		}
	}
	for _, h := range []http.Header{nil, {}, ordinaryHeader25, header("Age: 1\nDate: x\nX-RateLimit-Scope: y")} {
		if Any(h) {
			t.Errorf("Any(%v) = true", h)
		}
	}
}

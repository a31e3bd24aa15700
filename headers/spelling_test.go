package headers

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var ratelimitName = regexp.MustCompile(`(?i)^(x-)?ratelimit(-|$)`)

// spellings are other ways to spell the names of the general families.
var spellings = map[string]func(name string) string{
	"hyphen":  func(n string) string { return ratelimitName.ReplaceAllString(n, "${1}Rate-Limit$2") },
	"vendor":  func(n string) string { return ratelimitName.ReplaceAllString(n, "${1}Acme-RateLimit$2") },
	"vendors": func(n string) string { return ratelimitName.ReplaceAllString(n, "${1}Acme-Edge-Rate-Limit$2") },
	"underscore": func(n string) string {
		if !ratelimitName.MatchString(n) {
			return n
		}
		return strings.ReplaceAll(n, "-", "_")
	},
	"fused": func(n string) string {
		prefix := ratelimitName.FindString(n)
		if prefix == "" {
			return n
		}
		return strings.TrimSuffix(prefix, "-") + strings.ReplaceAll(n[len(prefix):], "-", "")
	},
	"shouted": strings.ToUpper,
}

// How the names are spelt does not matter.
func TestSpellings(t *testing.T) {
	for _, c := range loadCorpus(t) {
		want := sorted(Parse(c.header(), c.Now))
		for spelling, spell := range spellings {
			if spelling == "fused" && ietfPair(c.header()) {
				continue // "RateLimitPolicy" is no field of the drafts
			}
			h := http.Header{}
			for _, kv := range c.Headers {
				h.Add(spell(kv[0]), kv[1])
			}
			if got := sorted(Parse(h, c.Now)); !slices.Equal(got, want) {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", c.ID, spelling, got, want)
			}
		}
	}
}

func ietfPair(h http.Header) bool { return h["Ratelimit-Policy"] != nil || h["Ratelimit"] != nil }

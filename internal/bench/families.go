package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/headway-go/headway/headers"
)

// families are the header fields of one answer, read. The floor is what a
// program pays that looks at the name of each field.
func families() []row {
	reading := func(name string, a aim, h http.Header) row {
		return row{name: "headers/" + name, unit: "ns", aim: a, open: parsing(h)}
	}
	about := func(r row, about string) row {
		r.about = about
		return r
	}
	free := aim{most: 300}
	with := func(extra ...string) http.Header { return fields(many(25-len(extra)/2), extra...) }
	return []row{
		about(reading("12 ordinary fields", free, ordinary()), "Nothing is published."),
		about(reading("25 ordinary fields", free, many(25)), "Nothing is published, in twice as many fields."),
		about(reading("trio", aim{most: 500, allocs: 2}, with(trio...)), "X-RateLimit-Limit, -Remaining and -Reset among 25."),
		about(reading("GitHub", aim{allocs: 2}, with(gitHub...)), "Five X-RateLimit fields among 25."),
		about(reading("IETF", aim{most: 1500, allocs: 2}, with(ietf...)), "RateLimit and RateLimit-Policy among 25. httpsfv reads the values, and makes nothing of them."),
		about(reading("IETF, two policies", aim{allocs: 2}, with(twoPolicies...)), "The same with a burst and a day."),
		about(reading("draft 7", aim{allocs: 2}, with("Ratelimit", "limit=100, remaining=50, reset=30", "Ratelimit-Policy", "100;w=60")), "RateLimit as a dictionary among 25."),
		about(reading("OpenAI", aim{allocs: 2}, with(openAI...)), "Requests and tokens, six fields among 25."),
		about(reading("Riot", aim{allocs: 2}, with("X-App-Rate-Limit", "20:1,100:120", "X-App-Rate-Limit-Count", "3:1,57:120")), "Two limits to a field, two fields among 25."),
		about(reading("Retry-After", aim{}, with("Retry-After", "120")), "One field among 25."),
	}
}

var (
	trio   = []string{"X-Ratelimit-Limit", "5000", "X-Ratelimit-Remaining", "4987", "X-Ratelimit-Reset", "1796050860"}
	ietf   = []string{"Ratelimit-Policy", `"default";q=100;w=60`, "Ratelimit", `"default";r=50;t=30`}
	gitHub = []string{
		"X-Ratelimit-Limit", "5000", "X-Ratelimit-Remaining", "4987", "X-Ratelimit-Reset", "1796050860",
		"X-Ratelimit-Used", "13", "X-Ratelimit-Resource", "core",
	}
	twoPolicies = []string{
		"Ratelimit-Policy", `"burst";q=100;w=60,"daily";q=1000;w=86400`, "Ratelimit", `"burst";r=37;t=12, "daily";r=410;t=40800`,
	}
	openAI = []string{
		"X-Ratelimit-Limit-Requests", "60", "X-Ratelimit-Remaining-Requests", "59", "X-Ratelimit-Reset-Requests", "1s",
		"X-Ratelimit-Limit-Tokens", "150000", "X-Ratelimit-Remaining-Tokens", "149984", "X-Ratelimit-Reset-Tokens", "6m0s",
	}
)

// many returns n fields that say nothing of limits.
func many(n int) http.Header {
	h := http.Header{}
	for _, name := range []string{
		"Content-Type", "Content-Length", "Date", "Server", "Cache-Control", "Etag", "Vary", "Connection",
		"Strict-Transport-Security", "X-Request-Id", "X-Content-Type-Options", "X-Frame-Options",
		"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Content-Security-Policy", "Referrer-Policy",
		"X-Xss-Protection", "Via", "X-Cache", "X-Amz-Cf-Id", "X-Amz-Cf-Pop", "Cf-Ray", "Nel", "Report-To", "Alt-Svc",
	}[:n] {
		h.Set(name, "some value")
	}
	h.Set("Date", "Mon, 30 Nov 2026 15:00:00 GMT")
	return h
}

func parsing(h http.Header) func(*bench) ([]contender, error) {
	return func(*bench) ([]contender, error) {
		now := time.Date(2026, 11, 30, 15, 0, 0, 0, time.UTC)
		total := 0
		all := []contender{
			loop("the loop", floor, func() error {
				for name := range h {
					total += len(name)
				}
				return nil
			}),
			loop("headway", ours, func() error {
				headers.Parse(h, now)
				return nil
			}),
		}
		if h.Get("Ratelimit-Policy") != "" {
			all = append(all, loop("httpsfv", peer, func() error { return structured(h) }))
		} else if h.Get("X-Ratelimit-Limit") != "" || h.Get("Retry-After") != "" || !headers.Any(h) {
			all = append(all, loop("five Get", peer, func() error { return fiveFields(h) }))
		}
		return all, nil
	}
}

// fiveFields is what one writes by hand for a dialect that one knows.
func fiveFields(h http.Header) error {
	for _, name := range [...]string{
		"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Used", "Retry-After",
	} {
		if v := h.Get(name); v != "" {
			if _, err := strconv.Atoi(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// structured reads the IETF fields as what they are by RFC 9651.
func structured(h http.Header) error {
	for _, name := range [...]string{"Ratelimit-Policy", "Ratelimit"} {
		_, err := httpsfv.UnmarshalList(h[name])
		if err != nil {
			_, err = httpsfv.UnmarshalDictionary(h[name])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

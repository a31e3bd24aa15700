package headers

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
)

var noon = time.Date(2026, 11, 30, 15, 0, 0, 0, time.UTC)

// ordinaryHeader returns n fields of the sort that every response has.
func ordinaryHeader(n int) http.Header {
	names := []string{
		"Content-Type", "Content-Length", "Date", "Server", "Cache-Control", "Etag", "Vary", "Connection",
		"Strict-Transport-Security", "X-Request-Id", "X-Content-Type-Options", "X-Frame-Options",
		"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Content-Security-Policy", "Referrer-Policy",
		"X-Xss-Protection", "Via", "X-Cache", "X-Amz-Cf-Id", "X-Amz-Cf-Pop", "Cf-Ray", "Nel", "Report-To", "Alt-Svc",
	}
	h := http.Header{}
	for _, name := range names[:n] {
		h.Set(name, "some value")
	}
	h.Set("Date", "Mon, 30 Nov 2026 15:00:00 GMT")
	return h
}

func with(h http.Header, pairs ...string) http.Header {
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func ietfFields() http.Header {
	return with(http.Header{}, "RateLimit-Policy", `"default";q=100;w=60`, "RateLimit", `"default";r=50;t=30`)
}

func trio(n int) http.Header {
	return with(ordinaryHeader(n-3), "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "4987", "X-RateLimit-Reset", "1796050860")
}

func BenchmarkParse(b *testing.B) {
	for _, bm := range []struct {
		name string
		h    http.Header
	}{
		{"empty", http.Header{}},
		{"ordinary12", ordinaryHeader(12)},
		{"ordinary25", ordinaryHeader(25)},
		{"ietf", ietfFields()},
		{"ietf25", with(ordinaryHeader(23), "RateLimit-Policy", `"default";q=100;w=60`, "RateLimit", `"default";r=50;t=30`)},
		{"draft7_25", with(ordinaryHeader(23), "RateLimit-Policy", "100;w=60", "RateLimit", "limit=100, remaining=50, reset=30")},
		{"trio25", trio(25)},
		{"trio3", trio(3)},
		{"retryafter25", with(ordinaryHeader(24), "Retry-After", "120")},
		{"riot25", with(ordinaryHeader(23), "X-App-Rate-Limit", "20:1,100:120", "X-App-Rate-Limit-Count", "3:1,57:120")},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(bm.h, noon)
			}
		})
	}
}

func BenchmarkAny(b *testing.B) {
	for _, n := range []int{1, 12, 25} {
		h := ordinaryHeader(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Any(h)
			}
		})
	}
	b.Run("empty", func(b *testing.B) {
		for b.Loop() {
			Any(nil)
		}
	})
}

// What a caller would write by hand for one known dialect.
func BenchmarkByHand(b *testing.B) {
	h := trio(25)
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range [...]string{
			"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Used", "Retry-After",
		} {
			if v := h.Get(name); v != "" {
				if _, err := strconv.Atoi(v); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

func BenchmarkHTTPSFV(b *testing.B) {
	h := ietfFields()
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range [...]string{"Ratelimit-Policy", "Ratelimit"} {
			if _, err := httpsfv.UnmarshalList(h[name]); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// The memo under a server that never sends the same name twice.
func BenchmarkNewNames(b *testing.B) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		classOf("X-Ratelimit-Limit-" + strconv.Itoa(n))
	}
}

// The floor: nothing that looks at each field can be faster than the loop itself.
func BenchmarkRange(b *testing.B) {
	for _, n := range []int{12, 25} {
		h := ordinaryHeader(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			total := 0
			for b.Loop() {
				for name := range h {
					total += len(name)
				}
			}
		})
	}
}

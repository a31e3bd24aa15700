package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/headway-go/headway/transport"
	"github.com/headway-go/headway/transport/record"
)

// A fixed base answers at once, always the same.
type fixed struct{ resp http.Response }

func (f *fixed) RoundTrip(*http.Request) (*http.Response, error) {
	resp := f.resp
	return &resp, nil
}

// ordinary is what an answer that publishes nothing has for fields.
func ordinary() http.Header {
	return http.Header{
		"Content-Type": {"application/json"}, "Date": {"Mon, 30 Nov 2026 12:00:00 GMT"}, "Server": {"nginx"},
		"Content-Length": {"2"}, "Cache-Control": {"no-cache"}, "Vary": {"Accept-Encoding"},
		"Etag": {`"abc"`}, "X-Request-Id": {"0f8fad5b"}, "Strict-Transport-Security": {"max-age=31536000"},
		"X-Content-Type-Options": {"nosniff"}, "X-Frame-Options": {"DENY"}, "Connection": {"keep-alive"},
	}
}

func BenchmarkTransport(b *testing.B) {
	file, err := record.Open(filepath.Join(b.TempDir(), "calls.jsonl"), 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	for _, h := range []http.Header{{}, ordinary()} {
		base := &fixed{http.Response{StatusCode: 200, Header: h, Body: http.NoBody}}
		for name, rt := range map[string]http.RoundTripper{
			"base":     base,
			"headway":  &transport.Transport{Base: base},
			"observed": &transport.Transport{Base: base, Observe: func(context.Context, transport.Event) {}},
			"recorded": &transport.Transport{Base: base, Record: file},
		} {
			b.Run(fmt.Sprintf("%d_fields/%s", len(h), name), func(b *testing.B) {
				req, err := http.NewRequest(http.MethodGet, "https://api.example.com/v1/things", nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := rt.RoundTrip(req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Programs call several hosts in turn, too.
func BenchmarkTwoHosts(b *testing.B) {
	tr := &transport.Transport{Base: &fixed{http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody}}}
	call := twoHosts(b, tr)
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}

// twoHosts returns a call of each of two hosts.
func twoHosts(tb testing.TB, rt http.RoundTripper) func() {
	tb.Helper()
	one, other := get(tb, api), get(tb, "https://other.example.com/")
	return func() {
		for _, req := range []*http.Request{one, other} {
			if _, err := rt.RoundTrip(req); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

package simulate

import (
	"strconv"
	"strings"
	"time"
)

// A Field is one header field.
type Field struct {
	Name, Value string
}

// Fields returns an answer of this Publisher as header fields, as literal text:
// what a real client would have to read. Set them on an [net/http.Header] and a
// real Transport can be driven by the same server.
func (p Publisher) Fields(a Answer) []Field {
	if p.Lie == LieGarbage {
		return p.garbage(a.Status != 200)
	}
	var fields []Field
	add := func(name, value string) { fields = append(fields, Field{name, value}) }
	switch p.Headers {
	case HeadersRemaining:
		add("RateLimit-Remaining", count(a.Remaining))
	case HeadersTrio:
		add("X-RateLimit-Limit", count(a.Limit))
		add("X-RateLimit-Remaining", count(a.Remaining))
		if a.Has(SaidReset) {
			add("X-RateLimit-Reset", seconds(a.Reset))
		}
	case HeadersIETF, HeadersIETFBurst:
		add("RateLimit-Policy", policyItem(a))
		add("RateLimit", limitItem(a))
	}
	if a.Has(SaidRetryAfter) {
		add("Retry-After", seconds(a.RetryAfter))
	}
	return fields
}

// policyItem and limitItem follow draft-ietf-httpapi-ratelimit-headers-10. The
// burst parameter is in its examples only.
func policyItem(a Answer) string {
	item := `"default";q=` + count(a.Limit)
	if !a.Has(SaidWindow) {
		return item + `;qu="concurrent-requests"`
	}
	item += ";w=" + seconds(a.Window)
	if a.Has(SaidBurst) {
		item += ";burst=" + count(a.Burst)
	}
	return item
}

func limitItem(a Answer) string {
	item := `"default";r=` + count(a.Remaining)
	if a.Has(SaidReset) {
		item += ";t=" + seconds(a.Reset)
	}
	return item
}

func (p Publisher) garbage(refused bool) []Field {
	var fields []Field
	switch p.Headers {
	case HeadersRemaining:
		fields = []Field{{"RateLimit-Remaining", "NaN"}}
	case HeadersTrio:
		fields = []Field{{"X-RateLimit-Limit", "1e999"}, {"X-RateLimit-Remaining", "0x10"}, {"X-RateLimit-Reset", "soon"}}
	case HeadersIETF, HeadersIETFBurst:
		fields = []Field{{"RateLimit-Policy", `"default;q=`}, {"RateLimit", `;r=?;;t="`}}
	}
	if refused && p.Retry != RetryNone {
		fields = append(fields, Field{"Retry-After", "Infinity"})
	}
	return fields
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

// seconds writes a span in seconds, with as many decimals as it needs, up to 9.
// The largest span, which only a lie has, is the largest number instead: some
// servers do send it.
func seconds(d time.Duration) string {
	if d >= hugeSpan {
		return "9223372036854775807"
	}
	whole := count(int64(d / time.Second))
	rest := int64(d % time.Second)
	if rest <= 0 {
		return whole
	}
	digits := count(rest + int64(time.Second))[1:] // keeps the zeros in front
	return whole + "." + strings.TrimRight(digits, "0")
}

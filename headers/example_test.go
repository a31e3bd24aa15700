package headers_test

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/headers"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func ExampleParse() {
	h := http.Header{}
	h.Set("X-RateLimit-Limit-Minute", "100")
	h.Set("X-RateLimit-Remaining-Minute", "61")
	h.Set("X-RateLimit-Reset", "1796040020")
	h.Set("Retry-After", "Mon, 30 Nov 2026 12:00:03 GMT")

	result := headers.Parse(h, noon)
	for _, p := range result.Policies {
		fmt.Printf("%v of %v %s per %v left, for %v\n", p.Remaining.V, p.Limit.V, p.Unit, p.Window, p.Reset.V)
	}
	if result.RetryAfter.OK {
		fmt.Println("wait", result.RetryAfter.V)
	}
	// Output:
	// 61 of 100 requests per 1m0s left, for 20s
	// wait 3s
}

func ExampleSet() {
	h := http.Header{}
	err := headers.Set(h, headers.Policy{
		Name:      "per-user",
		Limit:     headers.Some(100.0),
		Window:    time.Minute,
		Burst:     headers.Some(20.0),
		Remaining: headers.Some(12.0),
		Reset:     headers.Some(800 * time.Millisecond),
	})
	fmt.Println(h.Get("RateLimit-Policy"))
	fmt.Println(h.Get("RateLimit"), err)

	err = headers.Set(h, headers.Policy{Name: "slow", Limit: headers.Some(0.5), Window: time.Second})
	if fe, ok := errors.AsType[*headers.FieldError](err); ok {
		fmt.Println(fe.Policy, fe.Field)
	}
	// Output:
	// "per-user";q=100;w=60;headway-burst=20
	// "per-user";r=12;t=1 <nil>
	// slow Limit
}

func ExampleExplain() {
	h := http.Header{}
	h.Set("X-RateLimit-Limit", "60")
	h.Set("X-RateLimit-Remaining", "-1")
	h.Set("X-RateLimit-Reset", "2026-11-30 12:00:30")
	h.Set("X-RateLimit-Scope", "user")

	for _, f := range headers.Explain(h, noon).Fields {
		fmt.Printf("%s: %s: %s %s%s\n", f.Name, f.Value, f.Role, f.Read, f.Ignored)
	}
	// Output:
	// X-Ratelimit-Limit: 60: limit 60
	// X-Ratelimit-Remaining: -1: remaining a negative number means that nothing is known
	// X-Ratelimit-Reset: 2026-11-30 12:00:30: reset the value is not understood
	// X-Ratelimit-Scope: user:  the word "scope" says that it is no counter
}

// The server documents that its reset counts milliseconds and that its window is
// one minute; no field says so.
func ExampleOverrides() {
	h := http.Header{}
	h.Set("X-RateLimit-Limit", "60")
	h.Set("X-RateLimit-Reset", "1500")

	known := headers.Overrides{ResetUnit: time.Millisecond, Window: time.Minute}
	p := known.Parse(h, noon).Policies[0]
	fmt.Println(p.Limit.V, p.Window, p.Reset.V)
	// Output:
	// 60 1m0s 1.5s
}

func ExampleRetryAfter() {
	h := http.Header{"Retry-After": {"2.5"}}
	fmt.Println(headers.RetryAfter(h, noon).Or(time.Minute))
	fmt.Println(headers.RetryAfter(http.Header{}, noon).Or(time.Minute))
	// Output:
	// 2.5s
	// 1m0s
}

// Most answers say nothing of limits: Any tells, at the price of a look at each name.
func ExampleAny() {
	ordinary := http.Header{"Content-Type": {"text/html"}, "Date": {"Mon, 30 Nov 2026 12:00:00 GMT"}}
	limited := http.Header{"Ratelimit": {`"default";r=50;t=30`}}
	fmt.Println(headers.Any(ordinary), headers.Any(limited))
	// Output: false true
}

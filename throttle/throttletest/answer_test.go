package throttletest_test

import (
	"net/http"
	"testing"

	"github.com/headway-go/headway/throttle/throttletest"
)

// Scripted answers come first, in order, and cost nothing.
func TestScript(t *testing.T) {
	h := newHandler(t, throttletest.Config{Rate: 1e-3, Dialect: throttletest.RemainingOnly})
	h.Script(throttletest.Answer{Status: 503, Header: http.Header{"Retry-After": {"7"}}, Body: "later"})
	h.Script(throttletest.Answer{}, http.NotFoundHandler())
	check(t, "first", call(h, "/"), 503, fields{"Retry-After": "7"})
	check(t, "second", call(h, "/"), 429, fields{})
	check(t, "third", call(h, "/"), 404, fields{})
	check(t, "fourth", call(h, "/"), 200, fields{"Ratelimit-Remaining": "0"})
}

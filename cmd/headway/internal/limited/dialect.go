package limited

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A Dialect is the set of header fields in which a server tells of its limit, on
// every answer.
type Dialect struct {
	Choice

	says  simulate.Headers
	write func(http.Header, said) // adds to what says has, or is in its place
}

// Dialects returns all there are, the newest first.
func Dialects() []Dialect {
	return []Dialect{
		{Choice{"ietf", "RateLimit and RateLimit-Policy, with the burst of a bucket"}, simulate.HeadersIETFBurst, nil},
		{Choice{"draft-07", "the same two in one list of names and numbers"}, simulate.HeadersNone, draft07},
		{Choice{"draft-06", "RateLimit-Limit, -Remaining, -Reset and -Policy"}, simulate.HeadersNone, draft06},
		{Choice{"x-ratelimit", "X-RateLimit-Limit, -Remaining, and -Reset in seconds from now"}, simulate.HeadersTrio, nil},
		{Choice{"x-ratelimit-epoch", "the same with -Reset in seconds since 1970"}, simulate.HeadersTrio, epoch},
		{Choice{"github", "the same with X-RateLimit-Used and -Resource"}, simulate.HeadersTrio, github},
		{Choice{"remaining", "RateLimit-Remaining alone"}, simulate.HeadersRemaining, nil},
		{Choice{"nothing", "no field about the limit"}, simulate.HeadersNone, nil},
	}
}

// said is what one answer has to say.
type said struct {
	simulate.Answer           // with reset and window in whole seconds, rounded up
	burst           bool      // whether there is one to tell
	reset           time.Time // when exactly the units come back
}

// fields returns what a call is told about the limit.
func (h *Handler) fields(c Call) http.Header {
	header := make(http.Header)
	p := simulate.Publisher{Headers: h.Dialect.says, Retry: h.RetryAfter.says, Refusal: h.Status}
	policy := h.Model.Policy()
	burst := h.hasBurst(policy)
	if p.Headers == simulate.HeadersIETFBurst && !burst {
		p.Headers = simulate.HeadersIETF
	}
	for _, f := range p.Fields(p.Answer(c.At, c.Verdict, policy)) {
		header.Set(f.Name, f.Value)
	}
	if h.Dialect.write != nil {
		p.Headers = simulate.HeadersIETFBurst // says all there is
		h.Dialect.write(header, said{p.Answer(c.At, c.Verdict, policy), burst, c.Time.Add(c.ResetAt - c.At)})
	}
	if h.RetryAfter.write != nil && header.Get("Retry-After") != "" {
		h.RetryAfter.write(header, c.Time.Add(c.RetryAt-c.At))
	}
	return header
}

// hasBurst reports whether there is a burst to tell. A window has none but its
// count, and a client that takes that for a bucket's is refused; but if it is told
// as several windows, because of its length, that is how many go in one of them.
func (h *Handler) hasBurst(p simulate.Policy) bool {
	return !h.Windowed || p.Rate.Per%time.Second != 0
}

func draft07(h http.Header, s said) {
	h.Set("RateLimit-Policy", policyItem(s))
	h.Set("RateLimit", fmt.Sprintf("limit=%d, remaining=%d, reset=%d", s.Limit, s.Remaining, seconds(s.Reset)))
}

func draft06(h http.Header, s said) {
	h.Set("RateLimit-Policy", policyItem(s))
	set(h, "RateLimit-Limit", s.Limit)
	set(h, "RateLimit-Remaining", s.Remaining)
	set(h, "RateLimit-Reset", seconds(s.Reset))
}

func policyItem(s said) string {
	item := fmt.Sprintf("%d;w=%d", s.Limit, seconds(s.Window))
	if s.burst {
		item += fmt.Sprintf(";burst=%d", s.Burst)
	}
	return item
}

func epoch(h http.Header, s said) {
	set(h, "X-RateLimit-Reset", secondAfter(s.reset).Unix())
}

func github(h http.Header, s said) {
	epoch(h, s)
	set(h, "X-RateLimit-Used", s.Burst-s.Remaining)
	h.Set("X-RateLimit-Resource", "core")
}

func set(h http.Header, name string, n int64) { h.Set(name, strconv.FormatInt(n, 10)) }

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// secondAfter returns the first whole second that is not before t.
func secondAfter(t time.Time) time.Time {
	return t.Add(time.Second - 1).Truncate(time.Second)
}

// A RetryAfter is how a refusal says when to come again.
type RetryAfter struct {
	Choice

	says  simulate.Retry
	write func(http.Header, time.Time)
}

// RetryAfters returns all there are.
func RetryAfters() []RetryAfter {
	return []RetryAfter{
		{Choice{"seconds", "whole seconds, rounded up"}, simulate.RetrySeconds, nil},
		{Choice{"exact", "seconds with decimals, true to the nanosecond"}, simulate.RetryExact, nil},
		{Choice{"date", "an HTTP date, rounded up to the second"}, simulate.RetrySeconds, date},
		{Choice{"none", "not at all"}, simulate.RetryNone, nil},
	}
}

func date(h http.Header, at time.Time) {
	h.Set("Retry-After", secondAfter(at).UTC().Format(http.TimeFormat))
}

package throttletest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Dialect is a set of header fields with which servers tell of their limits.
// A server sends them with every answer, refusals included.
type Dialect int

// The dialects. Quota and window are the rate as a fraction of whole numbers,
// reset is the time until the budget is full again. Times are in whole seconds.
const (
	// IETF is RateLimit-Policy and RateLimit of the IETF's httpapi draft -11:
	//
	//	RateLimit-Policy: "default";q=10;w=1;burst=5
	//	RateLimit: "default";r=4;t=1
	//
	// that is quota, window and burst, the calls that remain, and as effective
	// window the time until there is one more.
	IETF Dialect = iota

	// Draft07 is the same two fields as draft -07 had them:
	//
	//	RateLimit-Policy: 10;w=1;burst=5
	//	RateLimit: limit=10, remaining=4, reset=1
	Draft07

	// Draft06 is RateLimit-Limit (the quota), -Remaining and -Reset of drafts
	// -00 to -06, with the RateLimit-Policy that came with -04.
	Draft06

	// Trio is X-RateLimit-Limit (the burst), -Remaining and -Reset, an instant
	// in seconds since 1970.
	Trio

	// TrioDelta is Trio with the reset in seconds from now.
	TrioDelta

	// GitHub is Trio with X-RateLimit-Used and -Resource. GitHub refuses with
	// status 403 or 429.
	GitHub

	// SpringCloudGateway is X-RateLimit-Replenish-Rate, -Burst-Capacity,
	// -Remaining and -Requested-Tokens, all in tokens: where a rate is not a
	// whole number of calls a second, a call costs several.
	SpringCloudGateway

	// AtlassianDataCenter is X-RateLimit-Limit (the burst), -Remaining,
	// -FillRate and -Interval-Seconds. Admitted calls carry a Retry-After as
	// well, of zero while calls remain.
	AtlassianDataCenter

	// RemainingOnly is RateLimit-Remaining and nothing else, as Heroku has it.
	RemainingOnly

	// Nothing is no field about the limit. Refusals still say Retry-After.
	Nothing
)

var dialectNames = [...]string{
	"IETF", "Draft07", "Draft06", "Trio", "TrioDelta", "GitHub",
	"SpringCloudGateway", "AtlassianDataCenter", "RemainingOnly", "Nothing",
}

// String returns the name of the constant, fit for a subtest.
func (d Dialect) String() string {
	if d < 0 || int(d) >= len(dialectNames) {
		return "Dialect(" + strconv.Itoa(int(d)) + ")"
	}
	return dialectNames[d]
}

// A report is what there is to tell in one answer.
type report struct {
	verdict
	limit limit
	now   time.Time
	cost  int64
}

// publish sets the fields of d.
func (r report) publish(h http.Header, d Dialect) {
	quota, window, burst := r.limit.quota, r.limit.window, r.limit.burst
	switch d {
	case IETF:
		h.Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d;burst=%d`, quota, window, burst))
		h.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, r.remaining, seconds(r.next)))
	case Draft07:
		h.Set("RateLimit-Policy", fmt.Sprintf("%d;w=%d;burst=%d", quota, window, burst))
		h.Set("RateLimit", fmt.Sprintf("limit=%d, remaining=%d, reset=%d", quota, r.remaining, seconds(r.full)))
	case Draft06:
		h.Set("RateLimit-Policy", fmt.Sprintf("%d;w=%d;burst=%d", quota, window, burst))
		set(h, "RateLimit-Limit", quota)
		set(h, "RateLimit-Remaining", r.remaining)
		set(h, "RateLimit-Reset", seconds(r.full))
	case Trio, TrioDelta, GitHub:
		r.publishTrio(h, d)
	case SpringCloudGateway:
		r.publishTokens(h)
	case AtlassianDataCenter:
		set(h, "X-RateLimit-Limit", burst)
		set(h, "X-RateLimit-Remaining", r.remaining)
		set(h, "X-RateLimit-FillRate", quota)
		set(h, "X-RateLimit-Interval-Seconds", window)
	case RemainingOnly:
		set(h, "RateLimit-Remaining", r.remaining)
	}
}

func (r report) publishTrio(h http.Header, d Dialect) {
	set(h, "X-RateLimit-Limit", r.limit.burst)
	set(h, "X-RateLimit-Remaining", r.remaining)
	if d == TrioDelta {
		set(h, "X-RateLimit-Reset", seconds(r.full))
		return
	}
	set(h, "X-RateLimit-Reset", secondAfter(r.now.Add(r.full)).Unix())
	if d == GitHub {
		set(h, "X-RateLimit-Used", r.limit.burst-r.remaining)
		set(h, "X-RateLimit-Resource", "core")
	}
}

// publishTokens tells quota tokens a second and window tokens a call, which is
// how Spring's own manual has people set rates below one call a second.
func (r report) publishTokens(h http.Header) {
	perCall := r.limit.window
	requested, _ := mulDiv(r.cost, perCall, 1)
	capacity, _ := mulDiv(r.limit.burst, perCall, 1)
	remaining, _ := mulDiv(r.level, perCall, r.limit.perCall)
	set(h, "X-RateLimit-Requested-Tokens", requested)
	set(h, "X-RateLimit-Replenish-Rate", r.limit.quota)
	set(h, "X-RateLimit-Burst-Capacity", capacity)
	set(h, "X-RateLimit-Remaining", remaining)
}

// retryAfter sets Retry-After of a refusal, and of an admitted call where the
// dialect has it there.
func (r report) retryAfter(h http.Header, d Dialect, form RetryAfter) {
	wait := r.wait
	if r.admitted {
		if d != AtlassianDataCenter {
			return
		}
		if r.remaining == 0 {
			wait = r.next
		}
	}
	if wait == never {
		return
	}
	switch form {
	case RetryAfterSeconds:
		set(h, "Retry-After", seconds(wait))
	case RetryAfterExact:
		set(h, "Retry-After", exact(wait))
	case RetryAfterDate:
		set(h, "Retry-After", secondAfter(r.now.Add(wait)).UTC().Format(http.TimeFormat))
	}
}

func set(h http.Header, name string, value any) { h.Set(name, fmt.Sprint(value)) }

// seconds returns d in whole seconds, rounded up.
func seconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d%time.Second > 0 {
		s++
	}
	return s
}

// exact returns d, which is not negative, in seconds with as many decimals as
// it takes.
func exact(d time.Duration) string {
	s := fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// secondAfter returns the first whole second that is not before t.
func secondAfter(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	}
	return t
}

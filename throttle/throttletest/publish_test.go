package throttletest_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
)

type fields map[string]string

// A bubble begins at 946684800 (2000-01-01). One call every two seconds, burst
// 3: four calls at 0.25, 0.85, 1.45 and 2.05 s. After the second the level is
// 1.3, the fourth finds 0.9 and is refused; the budget is full at 6.25 s.
func TestDialects(t *testing.T) {
	for _, tt := range []struct {
		dialect throttletest.Dialect
		second  fields
		fourth  fields
	}{
		{throttletest.IETF,
			fields{"Ratelimit-Policy": `"default";q=1;w=2;burst=3`, "Ratelimit": `"default";r=1;t=2`},
			fields{"Ratelimit-Policy": `"default";q=1;w=2;burst=3`, "Ratelimit": `"default";r=0;t=1`, "Retry-After": "1"}},
		{throttletest.Draft07,
			fields{"Ratelimit-Policy": "1;w=2;burst=3", "Ratelimit": "limit=1, remaining=1, reset=4"},
			fields{"Ratelimit-Policy": "1;w=2;burst=3", "Ratelimit": "limit=1, remaining=0, reset=5", "Retry-After": "1"}},
		{throttletest.Draft06,
			fields{"Ratelimit-Policy": "1;w=2;burst=3", "Ratelimit-Limit": "1", "Ratelimit-Remaining": "1", "Ratelimit-Reset": "4"},
			fields{"Ratelimit-Policy": "1;w=2;burst=3", "Ratelimit-Limit": "1", "Ratelimit-Remaining": "0", "Ratelimit-Reset": "5", "Retry-After": "1"}},
		{throttletest.Trio,
			fields{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "1", "X-Ratelimit-Reset": "946684805"},
			fields{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "946684807", "Retry-After": "1"}},
		{throttletest.TrioDelta,
			fields{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "1", "X-Ratelimit-Reset": "4"},
			fields{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "5", "Retry-After": "1"}},
		{throttletest.GitHub,
			fields{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "1", "X-Ratelimit-Used": "2", "X-Ratelimit-Reset": "946684805", "X-Ratelimit-Resource": "core"},
			fields{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Used": "3", "X-Ratelimit-Reset": "946684807", "X-Ratelimit-Resource": "core", "Retry-After": "1"}},
		{throttletest.SpringCloudGateway,
			fields{"X-Ratelimit-Replenish-Rate": "1", "X-Ratelimit-Burst-Capacity": "6", "X-Ratelimit-Requested-Tokens": "2", "X-Ratelimit-Remaining": "2"},
			fields{"X-Ratelimit-Replenish-Rate": "1", "X-Ratelimit-Burst-Capacity": "6", "X-Ratelimit-Requested-Tokens": "2", "X-Ratelimit-Remaining": "1", "Retry-After": "1"}},
		{throttletest.AtlassianDataCenter,
			fields{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "1", "X-Ratelimit-Fillrate": "1", "X-Ratelimit-Interval-Seconds": "2", "Retry-After": "0"},
			fields{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Fillrate": "1", "X-Ratelimit-Interval-Seconds": "2", "Retry-After": "1"}},
		{throttletest.RemainingOnly,
			fields{"Ratelimit-Remaining": "1"},
			fields{"Ratelimit-Remaining": "0", "Retry-After": "1"}},
		{throttletest.Nothing, fields{}, fields{"Retry-After": "1"}},
	} {
		bubble(t, tt.dialect.String(), func(t *testing.T) {
			h := newHandler(t, throttletest.Config{Rate: 0.5, Burst: 3, Dialect: tt.dialect})
			time.Sleep(250 * time.Millisecond)
			var answers []*http.Response
			for range 4 {
				answers = append(answers, call(h, "/"))
				time.Sleep(600 * time.Millisecond)
			}
			check(t, "second", answers[1], http.StatusOK, tt.second)
			check(t, "fourth", answers[3], http.StatusTooManyRequests, tt.fourth)
		})
	}
}

// Data Center says on the last call that it admits when there is another.
func TestRetryAfterOfAnAdmittedCall(t *testing.T) {
	bubble(t, "AtlassianDataCenter", func(t *testing.T) {
		h := newHandler(t, throttletest.Config{Rate: 0.1, Dialect: throttletest.AtlassianDataCenter})
		if got := call(h, "/").Header.Get("Retry-After"); got != "10" {
			t.Errorf("Retry-After of the last call admitted = %q, want 10", got)
		}
	})
}

// The window changes the quota that is told, and not when calls are admitted.
func TestWindow(t *testing.T) {
	bubble(t, "hour", func(t *testing.T) {
		h := newHandler(t, throttletest.Config{Rate: 5000.0 / 3600, Window: time.Hour})
		if got, want := call(h, "/").Header.Get("RateLimit-Policy"), `"default";q=5000;w=3600;burst=1`; got != want {
			t.Errorf("RateLimit-Policy = %s, want %s", got, want)
		}
		freeAfter(t, h, 720*time.Millisecond)
	})
}

// One call in three seconds, the second at 0.3 s: it may come again at 3 s.
func TestRetryAfterForms(t *testing.T) {
	for _, tt := range []struct {
		form throttletest.RetryAfter
		want string
	}{
		{throttletest.RetryAfterSeconds, "3"},
		{throttletest.RetryAfterExact, "2.7"},
		{throttletest.RetryAfterDate, "Sat, 01 Jan 2000 00:00:03 GMT"},
		{throttletest.RetryAfterNone, ""},
	} {
		bubble(t, tt.want, func(t *testing.T) {
			h := newHandler(t, throttletest.Config{Rate: 1.0 / 3, RetryAfter: tt.form})
			call(h, "/")
			time.Sleep(300 * time.Millisecond)
			if got := call(h, "/").Header.Get("Retry-After"); got != tt.want {
				t.Errorf("Retry-After = %q, want %q", got, tt.want)
			}
		})
	}
}

// Whoever comes at the exact Retry-After is admitted, and whoever comes a
// nanosecond before is not.
func TestRetryAfterIsTrueToTheNanosecond(t *testing.T) {
	for _, rate := range []float64{1, 3, 7.0 / 3, 300, 1.0 / 7, 12345.678} {
		bubble(t, strconv.FormatFloat(rate, 'g', 4, 64), func(t *testing.T) {
			h := newHandler(t, throttletest.Config{Rate: rate, Burst: 2, RetryAfter: throttletest.RetryAfterExact})
			for range 50 {
				resp := call(h, "/")
				if resp.StatusCode == http.StatusOK {
					continue
				}
				wait, err := time.ParseDuration(resp.Header.Get("Retry-After") + "s")
				if err != nil {
					t.Fatal(err)
				}
				freeAfter(t, h, wait)
			}
		})
	}
}

// The fields are true: what is said to remain may come at once and no more, one
// more may come after the effective window, and the whole burst at the reset.
func TestFieldsAreTrue(t *testing.T) {
	for spent := range 6 {
		bubble(t, strconv.Itoa(spent), func(t *testing.T) {
			c := throttletest.Config{Rate: 0.7, Burst: 5, Spent: spent}
			drain := func(h http.Handler) (n int) {
				for call(h, "/").StatusCode == http.StatusOK {
					n++
				}
				return n
			}
			ietf := newHandler(t, c)
			time.Sleep(400 * time.Millisecond)
			r, window := parse(t, call(ietf, "/").Header.Get("RateLimit"), `"default";r=`, ";t=")
			time.Sleep(time.Duration(window) * time.Second)
			if got := drain(ietf); got <= r {
				t.Errorf("%d calls at the end of a window that had %d, want one more", got, r)
			}

			c.Dialect = throttletest.Draft07
			draft07 := newHandler(t, c)
			r, reset := parse(t, call(draft07, "/").Header.Get("RateLimit"), "limit=7, remaining=", ", reset=")
			if got := drain(draft07); got != r {
				t.Errorf("%d calls at once after remaining=%d", got, r)
			}
			draft07 = newHandler(t, c)
			call(draft07, "/")
			time.Sleep(time.Duration(reset) * time.Second)
			if got := drain(draft07); got != 5 {
				t.Errorf("%d calls at the reset, want 5", got)
			}
		})
	}
}

// parse takes two numbers out of a field.
func parse(t *testing.T, field, before, between string) (a, b int) {
	t.Helper()
	rest, ok := strings.CutPrefix(field, before)
	first, second, found := strings.Cut(rest, between)
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(second)
	if !ok || !found || errA != nil || errB != nil {
		t.Fatalf("field %q is not %sN%sN", field, before, between)
	}
	return a, b
}

func TestDialectString(t *testing.T) {
	if got := (throttletest.Nothing + 1).String(); got != "Dialect(10)" {
		t.Errorf("an unknown dialect is %q, want Dialect(10)", got)
	}
}

// bubble runs f as a subtest in a synctest bubble.
func bubble(t *testing.T, name string, f func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func newHandler(t *testing.T, c throttletest.Config) *throttletest.Handler {
	t.Helper()
	h, err := throttletest.NewHandler(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// call sends one GET to h, without a network.
func call(h http.Handler, target string) *http.Response {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, target, nil))
	return rec.Result()
}

// freeAfter fails unless a call is admitted after a wait, and refused a
// nanosecond before that.
func freeAfter(t *testing.T, h http.Handler, wait time.Duration) {
	t.Helper()
	time.Sleep(wait - time.Nanosecond)
	if got := call(h, "/").StatusCode; got != http.StatusTooManyRequests {
		t.Errorf("status a nanosecond before %v = %d, want 429", wait, got)
	}
	time.Sleep(time.Nanosecond)
	if got := call(h, "/").StatusCode; got != http.StatusOK {
		t.Errorf("status after %v = %d, want 200", wait, got)
	}
}

// check compares the status and all fields of an answer but those of its body.
func check(t *testing.T, which string, resp *http.Response, status int, want fields) {
	t.Helper()
	got := fields{}
	for name := range resp.Header {
		got[name] = resp.Header.Get(name)
	}
	delete(got, "Content-Type")
	delete(got, "X-Content-Type-Options")
	if resp.StatusCode != status || !maps.Equal(got, want) {
		t.Errorf("%s answer: %d %v\nwant %d %v", which, resp.StatusCode, got, status, want)
	}
}

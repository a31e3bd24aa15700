package backoff_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/headway-go/headway/backoff"
)

// retryAfter reads whole seconds only. It is a stand-in for a real parser.
func retryAfter(resp *http.Response) time.Duration {
	seconds, _ := strconv.ParseInt(resp.Header.Get("Retry-After"), 10, 64)
	return time.Duration(min(seconds, int64(math.MaxInt64/time.Second))) * time.Second
}

// server is the base transport of a client: it answers the n-th request with
// the n-th of its entries, and notes when requests came.
type server struct {
	answers []string // a Retry-After to refuse with, "ok", or "broken" for a network error
	start   time.Time
	arrived []time.Duration
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.arrived = append(s.arrived, time.Since(s.start))
	answer := s.answers[min(len(s.arrived), len(s.answers))-1]
	resp := &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{},
		Body:       io.NopCloser(strings.NewReader("")),
		Request:    req,
	}
	switch answer {
	case "ok":
		return resp, nil
	case "broken":
		return nil, errors.New("connection reset")
	}
	resp.StatusCode = http.StatusTooManyRequests
	resp.Header.Set("Retry-After", answer)
	return resp, nil
}

func newClient(p backoff.Policy, s *server) *retryablehttp.Client {
	s.start = time.Now()
	return &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: s},
		RetryWaitMin: time.Second,
		RetryWaitMax: 30 * time.Second,
		RetryMax:     4,
		CheckRetry:   retryablehttp.DefaultRetryPolicy,
		Backoff:      backoff.Func(p, retryAfter),
	}
}

func TestFuncInRetryableHTTP(t *testing.T) {
	exact := backoff.Policy{Jitter: backoff.NoJitter}
	for _, tt := range []struct {
		name    string
		policy  backoff.Policy
		answers []string
		lo, hi  []int // when requests came, in seconds
	}{
		{"no hint", exact, []string{"", "", "ok"}, []int{0, 1, 3}, []int{0, 1, 3}},
		{"the client's minimum, jittered", backoff.Policy{}, []string{"", "ok"}, []int{0, 1}, []int{0, 2}},
		{"zero is not at once", exact, []string{"0", "0", "ok"}, []int{0, 1, 3}, []int{0, 1, 3}},
		{"negative is none", exact, []string{"-9223372036854775808", "ok"}, []int{0, 1}, []int{0, 1}},
		{"hint", backoff.Policy{}, []string{"10", "ok"}, []int{0, 10}, []int{0, 11}},
		{"a day", backoff.Policy{}, []string{"86400", "ok"}, []int{0, 86400}, []int{0, 86430}},
		{"no response to read", exact, []string{"broken", "ok"}, []int{0, 1}, []int{0, 1}},
		{"the policy's minimum", backoff.Policy{Min: 5 * time.Second, Jitter: backoff.NoJitter}, []string{"", "ok"}, []int{0, 5}, []int{0, 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{answers: tt.answers}
				resp, err := newClient(tt.policy, s).Get("http://api.example.com/")
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if len(s.arrived) != len(tt.lo) {
					t.Fatalf("requests at %v, want %d", s.arrived, len(tt.lo))
				}
				for n, at := range s.arrived {
					if at < time.Duration(tt.lo[n])*time.Second || at > time.Duration(tt.hi[n])*time.Second {
						t.Errorf("request %d at %v, want %ds to %ds", n, at, tt.lo[n], tt.hi[n])
					}
				}
			})
		})
	}
}

// A number of seconds next to the largest Duration must not wrap around to a
// retry at once, as it does in that client's own Backoff
// (hashicorp/go-retryablehttp#297).
func TestFuncHugeRetryAfter(t *testing.T) {
	for _, seconds := range []string{"9223372036", "9223372037", "9223372036854775807"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, "http://api.example.com/", nil)
			if err != nil {
				t.Fatal(err)
			}
			s := &server{answers: []string{seconds}}
			resp, err := newClient(backoff.Policy{}, s).Do(req)
			if err == nil {
				resp.Body.Close()
			}
			if len(s.arrived) != 1 || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Retry-After %s: requests at %v, %v; want one", seconds, s.arrived, err)
			}
		})
	}
}

func TestFuncMinAndMax(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		name                 string
		min, max             time.Duration
		clientMin, clientMax time.Duration
		first, last          time.Duration
	}{
		{"all the client's", 0, 0, 1 * s, 30 * s, 1 * s, 30 * s},
		{"all the policy's", 2 * s, 8 * s, 1 * s, 30 * s, 2 * s, 8 * s},
		{"nobody's", 0, 0, 0, 0, backoff.DefaultMin, backoff.DefaultMax},
		{"policy's Min above the client's max", 60 * s, 0, 1 * s, 30 * s, 60 * s, 60 * s},
		{"policy's Max below the client's min", 0, 1 * s, 5 * s, 30 * s, 1 * s, 1 * s},
		{"client contradicts itself", 0, 0, 30 * s, 1 * s, 1 * s, 1 * s},
		{"client's are negative", 0, 0, -1, -1, backoff.DefaultMin, backoff.DefaultMax},
		{"client has no max", 5 * s, 0, 0, 0, 5 * s, backoff.DefaultMax},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := backoff.Policy{Min: tt.min, Max: tt.max, Jitter: backoff.NoJitter}
			f := backoff.Func[*http.Response](p, nil)
			if first, last := f(tt.clientMin, tt.clientMax, 0, nil), f(tt.clientMin, tt.clientMax, 99, nil); first != tt.first || last != tt.last {
				t.Errorf("delays from %v to %v, want %v to %v", first, last, tt.first, tt.last)
			}
		})
	}
}

func TestFuncDoesNotAllocate(t *testing.T) {
	f := backoff.Func(backoff.Policy{}, retryAfter)
	resp := &http.Response{Header: http.Header{"Retry-After": {"3"}}}
	if n := testing.AllocsPerRun(100, func() { f(1, 1, 0, resp) }); n != 0 {
		t.Errorf("allocates %v times, want 0", n)
	}
}

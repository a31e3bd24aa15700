package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"

	"github.com/PuerkitoBio/rehttp"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit"
	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway/transport"
)

// transports are calls that are answered with a 200, through RoundTrippers that
// do what they are for: ours paces, reads headers and retries, x/time paces,
// gofri waits when GitHub says so, the others retry.
func transports() []row {
	return []row{
		{
			name: "transport/no fields", unit: "ns", aim: aim{plus: 100}, open: over200(1, silent(http.Header{})),
			about: "A 200 without any header field, from a base that answers at once.",
		}, {
			name: "transport/12 fields", unit: "ns", aim: aim{plus: 300}, open: over200(1, silent(ordinary())),
			about: "A 200 with 12 ordinary fields that publishes nothing.",
		}, {
			name: "transport/12 fields on 2 cores", unit: "ns", aim: aim{allocs: anyAllocs}, open: over200(2, silent(ordinary())),
			about: "The same for two goroutines on one client.",
		}, {
			name: "transport/trio", unit: "ns", aim: aim{plus: 1500, allocs: 2}, open: over200(1, counting(trioOf)),
			about: "12 ordinary fields, X-RateLimit-Limit, -Remaining and -Reset. Only ours reads them.",
		}, {
			name: "transport/IETF", unit: "ns", aim: aim{plus: 1500, allocs: 2}, open: over200(1, counting(ietfOf)),
			about: "12 ordinary fields, RateLimit and RateLimit-Policy. Only ours reads them.",
		}, {
			name: "loopback/12 fields", unit: "µs", aim: aim{times: 1.02, allocs: anyAllocs}, longer: 8, open: loopback(silent(ordinary())),
			about: "A request to a server on a loopback socket, whose work is in the figures too, and its body read. It is no finer than some per cent; what ours adds is to be seen better above.",
		}, {
			name: "loopback/IETF", unit: "µs", aim: aim{times: 1.02, allocs: anyAllocs}, longer: 8, open: loopback(counting(ietfOf)),
			about: "The same with RateLimit and RateLimit-Policy in the answers.",
		},
	}
}

// An answerer says which fields the next answer has. It is asked for one at a
// time, unless it is silent.
type answerer func() http.Header

// silent publishes nothing.
func silent(h http.Header) answerer { return func() http.Header { return h } }

// counting publishes what is left of a quota, one less with each answer, and
// when it is reset. It is never used up.
func counting(publish func(h http.Header, left, reset string)) answerer {
	h := ordinary()
	left := int64(900_000_000_000)
	end := time.Now().Add(time.Hour)
	return func() http.Header {
		left--
		publish(h, strconv.FormatInt(left, 10), strconv.Itoa(int(time.Until(end).Seconds())))
		return h
	}
}

func trioOf(h http.Header, left, reset string) {
	h["X-Ratelimit-Limit"] = []string{"1000000000000"}
	h["X-Ratelimit-Remaining"] = []string{left}
	h["X-Ratelimit-Reset"] = []string{reset}
}

func ietfOf(h http.Header, left, reset string) {
	h["Ratelimit-Policy"] = []string{`"default";q=1000000000000;w=3600`}
	h["Ratelimit"] = []string{`"default";r=` + left + ";t=" + reset}
}

// ordinary are fields that every other answer has.
func ordinary() http.Header {
	return fields(http.Header{},
		"Content-Type", "application/json", "Content-Length", "2", "Date", "Mon, 30 Nov 2026 12:00:00 GMT",
		"Server", "nginx", "Cache-Control", "no-cache", "Vary", "Accept-Encoding", "Etag", `"abc"`,
		"X-Request-Id", "0f8fad5b", "Strict-Transport-Security", "max-age=31536000", "X-Content-Type-Options", "nosniff",
		"X-Frame-Options", "DENY", "Connection", "keep-alive",
	)
}

func fields(h http.Header, pairs ...string) http.Header {
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// A client is a RoundTripper around a base, to be compared with that.
type client struct {
	name string
	as   role
	wrap func(base http.RoundTripper) http.RoundTripper
}

var clients = []client{
	{"base", floor, func(base http.RoundTripper) http.RoundTripper { return base }},
	{"headway", ours, func(base http.RoundTripper) http.RoundTripper { return &transport.Transport{Base: base} }},
	{"x/time", peer, func(base http.RoundTripper) http.RoundTripper {
		return &paced{rate.NewLimiter(often, plenty), base}
	}},
	{"rehttp", peer, func(base http.RoundTripper) http.RoundTripper {
		retry := rehttp.RetryAll(rehttp.RetryMaxRetries(3), rehttp.RetryStatuses(http.StatusTooManyRequests))
		return rehttp.NewTransport(base, retry, rehttp.ConstDelay(0))
	}},
	{"retryablehttp", peer, func(base http.RoundTripper) http.RoundTripper {
		c := retryablehttp.NewClient()
		c.Logger, c.HTTPClient.Transport = nil, base
		c.Backoff = func(time.Duration, time.Duration, int, *http.Response) time.Duration { return 0 }
		return &retryablehttp.RoundTripper{Client: c}
	}},
	{"failsafehttp", peer, func(base http.RoundTripper) http.RoundTripper {
		return failsafehttp.NewRoundTripper(base, failsafehttp.NewRetryPolicyBuilder().Build())
	}},
	{"gofri", peer, func(base http.RoundTripper) http.RoundTripper { return github_ratelimit.New(base) }},
}

// paced is what most programs have: a limiter before each request.
type paced struct {
	limit *rate.Limiter
	base  http.RoundTripper
}

func (p *paced) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := p.limit.Wait(req.Context()); err != nil {
		return nil, err
	}
	return p.base.RoundTrip(req)
}

// An instant base answers at once.
type instant struct{ answer answerer }

func (i *instant) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: i.answer(), Body: http.NoBody}, nil
}

// over200 measures all clients over a base that does nothing.
func over200(workers int, answer answerer) func(*bench) ([]contender, error) {
	return func(b *bench) (all []contender, err error) {
		for _, c := range clients {
			req, err := http.NewRequestWithContext(b.ctx, http.MethodGet, "https://api.example.com/v1/things", nil)
			if err != nil {
				return nil, err
			}
			all = append(all, crowd(workers, c.name, c.as, calling(c.wrap(&instant{answer}), req)))
		}
		return all, nil
	}
}

var errStatus = errors.New("not answered with a 200")

// calling is one call, and its body read to the end.
func calling(rt http.RoundTripper, req *http.Request) func() error {
	return func() error {
		resp, err := rt.RoundTrip(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.Body != http.NoBody {
			_, err = io.Copy(io.Discard, resp.Body)
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%w: %d", errStatus, resp.StatusCode)
		}
		return err
	}
}

// loopback measures all clients over a real server, in µs.
func loopback(answer answerer) func(*bench) ([]contender, error) {
	return func(b *bench) (all []contender, err error) {
		var mu sync.Mutex
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			maps.Copy(w.Header(), answer())
			mu.Unlock()
			io.WriteString(w, "ok")
		}))
		base := &http.Transport{}
		b.cleanup(func() { base.CloseIdleConnections(); server.Close() })
		b.oneProcessor()
		for _, c := range clients {
			req, err := http.NewRequestWithContext(b.ctx, http.MethodGet, server.URL, nil)
			if err != nil {
				return nil, err
			}
			all = append(all, inMicroseconds(loop(c.name, c.as, calling(c.wrap(base), req))))
		}
		return all, nil
	}
}

func inMicroseconds(c contender) contender {
	nanoseconds := c.slice
	c.slice = func(d time.Duration) (sample, error) {
		s, err := nanoseconds(d)
		s.value /= 1000
		return s, err
	}
	return c
}

package realservers

import (
	"net/http"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway/transport"
)

// A strategy makes the client of one process.
type strategy struct {
	name   string
	client func(s server, base http.RoundTripper) *http.Client
}

const attempts = 10 // beyond the first: nobody is to give up early

// headway is told nothing of the server.
var headway = strategy{"headway", func(_ server, base http.RoundTripper) *http.Client {
	return &http.Client{Transport: &transport.Transport{Base: base, MaxWait: -1, MaxAttempts: attempts}}
}}

// byHand is what a careful user does: look up the limit in the manual, pace each
// attempt by it, and retry.
var byHand = strategy{"by hand", func(s server, base http.RoundTripper) *http.Client {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = attempts
	c.HTTPClient = &http.Client{Transport: &paced{rate.NewLimiter(s.rate, s.burst), base}}
	return c.StandardClient()
}}

// paced lets each attempt wait for its slot.
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

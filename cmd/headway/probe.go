package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"
)

// A networkError is what the network failed at: a probe of a host has no answer.
type networkError struct {
	what string
	err  error
}

func (e *networkError) Error() string { return e.what + ": " + e.err.Error() }

func (e *networkError) Unwrap() error { return e.err }

// maxData is how long the body of a request may be.
const maxData = 16 << 20

type probeCommand struct {
	reading
	Method  string        `short:"X" placeholder:"GET" help:"By default HEAD, or POST with a body."`
	Header  []string      `short:"H" sep:"none" placeholder:"NAME:VALUE" help:"A header field to send. May be repeated. Its value is not shown."`
	Data    string        `short:"d" placeholder:"TEXT" help:"The body to send; @FILE reads it from a file, @- from stdin. At most 16 MiB."`
	Timeout time.Duration `default:"30s" help:"How long the request may take."`
	Follow  bool          `help:"Follow redirects. Other hosts are not sent the fields of -H."`
	URL     string        `arg:"" help:"Where to send it."`
}

// Help is what kong shows below the help of the command.
func (*probeCommand) Help() string {
	return `One request is sent, which counts against the limit like any other; it is not sent again. Some servers count HEAD apart from GET, or not at all: -X GET asks for what your program would see. The body of the answer is not read.

For example:

	headway probe -H "Authorization: Bearer $TOKEN" https://api.github.com/user`
}

// Validate is called by kong.
func (c *probeCommand) Validate() error {
	if c.Timeout <= 0 {
		return errors.New("--timeout: want a length of time above zero, as 10s")
	}
	return c.reading.Validate()
}

// Run is called by kong.
func (c *probeCommand) Run(e *env) error {
	ctx, cancel := context.WithTimeout(e.ctx, c.Timeout)
	defer cancel()
	req, err := c.request(ctx, e)
	if err != nil {
		return err
	}
	resp, err := c.client().Do(req)
	if err != nil {
		return &networkError{"probe " + req.URL.Host, c.cause(ctx, err)}
	}
	resp.Body.Close()
	x := explain(resp.Header, resp.StatusCode, c.at(time.Time{}), c.overrides())
	x.source = plainURL(resp.Request.URL.String())
	if to := resp.Header.Get("Location"); to != "" && !c.Follow {
		x.notes = append(x.notes, "It is a redirect; --follow goes where it leads.")
	}
	c.secrets().hideIn(x, resp.Header)
	return c.show(e.stdout, x)
}

// cause is err without the URL, which may hold a secret.
func (c *probeCommand) cause(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s: %w", length(c.Timeout), ctx.Err())
	}
	for {
		wrapped, ok := errors.AsType[*url.Error](err)
		if !ok {
			return err
		}
		err = wrapped.Err
	}
}

func (c *probeCommand) request(ctx context.Context, e *env) (*http.Request, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("probe: the URL has to begin with http:// or https:// and a host") // it may hold a secret
	}
	body, err := c.body(e)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, c.method(), c.URL, body)
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	req.Header.Set("User-Agent", "headway-probe")
	for i, field := range c.Header {
		name, value, found := strings.Cut(field, ":")
		name, value = textproto.TrimString(name), textproto.TrimString(value)
		if !found || !isToken(name) || !isText(value) {
			return nil, fmt.Errorf("probe: the %d. -H is no header field, as Name: value", i+1)
		}
		if strings.EqualFold(name, "Host") {
			req.Host = value
			continue
		}
		req.Header.Add(name, value)
	}
	return req, nil
}

func (c *probeCommand) method() string {
	switch {
	case c.Method != "":
		return c.Method
	case c.Data != "":
		return http.MethodPost
	}
	return http.MethodHead
}

// body is nil if there is none to send.
func (c *probeCommand) body(e *env) (io.Reader, error) {
	file, isFile := strings.CutPrefix(c.Data, "@")
	switch {
	case c.Data == "":
		return nil, nil
	case !isFile:
		return strings.NewReader(c.Data), nil
	}
	r, name, err := e.open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxData+1))
	if err != nil {
		return nil, unreadable(name, err)
	}
	if len(data) > maxData {
		return nil, &inputError{name: name, problem: "longer than 16 MiB"}
	}
	return bytes.NewReader(data), nil
}

func (c *probeCommand) client() *http.Client {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DisableKeepAlives = true
	base.MaxResponseHeaderBytes = maxHeads
	return &http.Client{Transport: base, CheckRedirect: c.redirect}
}

// redirect is asked before a request is sent to where a redirect leads.
func (c *probeCommand) redirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case !c.Follow:
		return http.ErrUseLastResponse
	case len(via) >= 10:
		return errors.New("more than 10 redirects")
	case req.URL.Host == first.Host && (req.URL.Scheme == first.Scheme || req.URL.Scheme == "https"):
		return nil
	}
	for _, field := range c.Header {
		name, _, _ := strings.Cut(field, ":")
		req.Header.Del(textproto.TrimString(name))
	}
	return nil
}

package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"

	"github.com/headway-go/headway/transport"
)

// A Config says what a [Proxy] does.
type Config struct {
	// Transport paces the calls. Base, Observe and MaxKeys are set here: a nil
	// Base becomes one that keeps away from the addresses that are refused.
	Transport *transport.Transport

	// Upstreams are the origins that have a port of their own: scheme and host.
	Upstreams []*url.URL

	// Names are hosts under which the proxy may be called, in lower case, besides
	// localhost and addresses.
	Names []string

	// AllowInternal lets calls go to link-local addresses and, where other
	// machines can reach the proxy, to this machine. To an upstream they may go.
	AllowInternal bool

	// Forwarded tells servers for whom a call is made: X-Forwarded-For, -Host
	// and -Proto. What a program sends of these itself is given on anyway.
	Forwarded bool

	// Log is told what an operator should know. Nil means nobody.
	Log *log.Logger
}

// A Proxy is an [http.Handler]: the forward proxy, and pages about it for direct
// requests. See [Proxy.Upstream] for the others.
type Proxy struct {
	Config
	guard   *guard
	metrics *metrics
	notices notices
	forward *httputil.ReverseProxy
	pages   http.Handler

	stopping context.Context // ends when calls that wait are to be told so
	stop     context.CancelCauseFunc
	servers  []*http.Server
	bases    []string     // the base URLs of Upstreams
	underWay atomic.Int64 // requests that are not answered to the end
}

// maxKeys is how many budgets are held, and shown. Beyond it, those that are
// idle and full go.
const maxKeys = 1000

// New returns a proxy. The Transport must not be used before.
func New(c Config) *Proxy {
	if c.Log == nil {
		c.Log = log.New(io.Discard, "", 0)
	}
	p := &Proxy{Config: c, guard: newGuard(c), notices: newNotices(c.Log)}
	p.stopping, p.stop = context.WithCancelCause(context.Background())
	p.metrics = newMetrics(c.Transport)
	if c.Transport.Base == nil {
		c.Transport.Base = p.guard.transport()
	}
	c.Transport.Base = sender{c.Transport.Base}
	c.Transport.Observe = p.observe
	c.Transport.MaxKeys = maxKeys
	p.forward = p.through(func(*httputil.ProxyRequest) {}, func(*http.Response) {})
	p.pages = p.newPages()
	return p
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		p.refuseConnect(w, r)
	case r.URL.IsAbs() && (r.URL.Scheme == "http" || r.URL.Scheme == "https") && r.URL.Host != "":
		p.pass(w, r, p.forward)
	case r.URL.IsAbs():
		badTarget.write(w, r)
	case !p.named(r.Host):
		foreignHost.write(w, r)
	default:
		p.pages.ServeHTTP(w, r)
	}
}

// Upstream returns the handler that gives what it gets to an origin.
func (p *Proxy) Upstream(to *url.URL) http.Handler {
	through := p.through(func(pr *httputil.ProxyRequest) {
		pr.Out.URL.Scheme, pr.Out.URL.Host, pr.Out.Host = to.Scheme, to.Host, ""
	}, func(resp *http.Response) { localize(resp, to) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodConnect:
			p.refuseConnect(w, r)
		case !p.named(r.Host):
			foreignHost.write(w, r)
		default:
			p.pass(w, r, through)
		}
	})
}

// errStatus is of an answer that net/http reads, but panics rather than send.
var errStatus = errors.New("a status below 100")

// through is the way from a client to a server and back.
func (p *Proxy) through(rewrite func(*httputil.ProxyRequest), modify func(*http.Response)) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: counter{p.metrics, p.Transport},
		Rewrite: func(pr *httputil.ProxyRequest) {
			p.keep(pr)
			rewrite(pr)
		},
		ModifyResponse: func(resp *http.Response) error {
			if resp.StatusCode < 100 {
				return errStatus
			}
			modify(resp)
			callOf(resp.Request).answered(resp)
			return nil
		},
		ErrorHandler:  p.fail,
		FlushInterval: -1,                         // what comes is given on at once
		ErrorLog:      log.New(io.Discard, "", 0), // it may show URLs
	}
}

// pass gives a request on.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, through *httputil.ReverseProxy) {
	p.underWay.Add(1)
	defer p.underWay.Add(-1)
	own, end, err := p.begin(w, r)
	defer end()
	if err != nil {
		brokenBody.write(w, r)
		return
	}
	callOf(own).duplex(w)
	through.ServeHTTP(w, own)
	callOf(own).leave(w)
}

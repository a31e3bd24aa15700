package proxy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Start begins to answer on listeners: the first is for the forward proxy and the
// pages, the others are for the Upstreams, in their order. The channel gets an
// error when a listener fails; it is for the caller to shut the proxy down then.
func (p *Proxy) Start(listeners []net.Listener) <-chan error {
	failed := make(chan error, len(listeners))
	for i, l := range listeners {
		p.guard.listens(l.Addr())
		if i > 0 {
			p.bases = append(p.bases, BaseURL(l.Addr()))
		}
	}
	for i, l := range listeners {
		var h http.Handler = p
		if i > 0 {
			h = p.Upstream(p.Upstreams[i-1])
		}
		srv := &http.Server{
			Handler:           h,
			ReadHeaderTimeout: 30 * time.Second,
			IdleTimeout:       2 * time.Minute,
			ErrorLog:          p.Log,
		}
		p.servers = append(p.servers, srv)
		go func() {
			if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	return failed
}

// A CutError reports how many calls were cut off by a shutdown.
type CutError struct{ Calls int }

func (e *CutError) Error() string {
	return strconv.Itoa(e.Calls) + " calls under way were cut off"
}

// Shutdown ends the proxy. Calls that wait are told to come again later, and those
// under way end as they would have, but for switched protocols, which are cut off.
// When ctx ends, so are the others, and the error is a *[CutError].
func (p *Proxy) Shutdown(ctx context.Context) error {
	p.stop(errStopping)
	var wg sync.WaitGroup
	var late atomic.Bool
	for _, srv := range p.servers {
		wg.Go(func() {
			if srv.Shutdown(ctx) != nil {
				late.Store(true)
			}
		})
	}
	wg.Wait()
	if !late.Load() {
		return nil
	}
	cut := &CutError{int(p.underWay.Load())}
	for _, srv := range p.servers {
		_ = srv.Close() // there is no more that could be done
	}
	return cut
}

// BaseURL is how a program of this machine calls what listens there.
func BaseURL(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return "http://127.0.0.1:" + strconv.Itoa(tcp.Port)
	}
	return "http://" + addr.String()
}

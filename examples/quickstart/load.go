package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// The server of our own. It publishes its rate and burst in header fields, as
// the IETF's draft has them. The round trip stands for the network: without
// one, the plain client would send as much as the processor can.
const (
	serverRate  = 20
	serverBurst = 10
	roundTrip   = 20 * time.Millisecond
)

// maxTries is when the plain client gives a call up.
const maxTries = 1000

// A caller makes one call, and returns why it failed, if it did.
type caller func(ctx context.Context, url string) error

// plain tries again at once for as long as the server refuses.
func plain(base http.RoundTripper) caller {
	client := &http.Client{Transport: base}
	return func(ctx context.Context, url string) error {
		status, err := get(ctx, client, url)
		for try := 1; try < maxTries && err == nil && status == http.StatusTooManyRequests; try++ {
			status, err = get(ctx, client, url)
		}
		return failure(status, err)
	}
}

// headway leaves it to the Transport when to send.
func headway(base http.RoundTripper) caller {
	client := &http.Client{Transport: &transport.Transport{Base: base}}
	return func(ctx context.Context, url string) error {
		status, err := get(ctx, client, url)
		return failure(status, err)
	}
}

func get(ctx context.Context, client *http.Client, url string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

func failure(status int, err error) error {
	if err == nil && status >= 400 {
		return fmt.Errorf("the server answered %d %s", status, http.StatusText(status))
	}
	return err
}

// compare makes the calls with both clients, one after the other, each with a
// server at rest.
func compare(ctx context.Context, o options, stderr io.Writer) (rep report, err error) {
	rep.Plain, _, err = measure(ctx, o, "plain", plain, stderr)
	if err == nil {
		rep.Headway.figures, rep.Headway.Bound, err = measure(ctx, o, "headway", headway, stderr)
	}
	return rep, err
}

// measure makes the calls with one client. The bound is nil if it is not known.
func measure(ctx context.Context, o options, name string, client func(http.RoundTripper) caller, stderr io.Writer) (f figures, bound *float64, err error) {
	url := o.url
	if url == "" {
		h, err := throttletest.NewHandler(throttletest.Config{Rate: serverRate, Burst: serverBurst})
		if err != nil {
			return f, nil, err
		}
		srv := httptest.NewServer(distant(h))
		defer srv.Close()
		url, bound = srv.URL, new(h.Bound(o.n).Seconds())
	}
	wire := newWire(o.workers)
	defer wire.base.CloseIdleConnections()
	l := &load{n: int64(o.n), call: client(wire), wire: wire}
	stop := l.showProgress(name, stderr)
	start := time.Now()
	l.run(ctx, url, o.workers)
	f = l.figures(time.Since(start))
	stop()
	if ctx.Err() != nil {
		return f, bound, errors.New("interrupted")
	}
	return f, bound, nil
}

// distant puts a round trip between the clients and h.
func distant(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(roundTrip / 2)
		h.ServeHTTP(w, r)
		time.Sleep(roundTrip / 2) // the answer is short, and leaves when we return
	})
}

// A wire counts what is really sent, retries included: it is below the clients.
type wire struct {
	base          *http.Transport
	sent, refused atomic.Int64
}

// newWire has a connection for each worker, so that neither client loses time
// over making new ones.
func newWire(workers int) *wire {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxIdleConnsPerHost = workers
	return &wire{base: base}
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	w.sent.Add(1)
	resp, err := w.base.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		w.refused.Add(1)
	}
	return resp, err
}

// A load is n calls, and what became of them.
type load struct {
	n    int64
	call caller
	wire *wire

	begun, ended, failed atomic.Int64

	once    sync.Once
	failure error // the first
}

// run makes all calls, or as many as it can until ctx is done.
func (l *load) run(ctx context.Context, url string, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil && l.begun.Add(1) <= l.n {
				if err := l.call(ctx, url); err != nil {
					l.failed.Add(1)
					l.once.Do(func() { l.failure = err })
				}
				l.ended.Add(1)
			}
		})
	}
	wg.Wait()
}

func (l *load) figures(took time.Duration) figures {
	return figures{
		Sent:    l.wire.sent.Load(),
		Refused: l.wire.refused.Load(),
		Failed:  l.failed.Load(),
		Seconds: took.Seconds(),
		failure: l.failure,
	}
}

// showProgress rewrites a line on a terminal until the function that it returns
// is called. Elsewhere it shows nothing.
func (l *load) showProgress(name string, stderr io.Writer) (stop func()) {
	if !isTerminal(stderr) {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			fmt.Fprintf(stderr, "\r%s: %d of %d calls answered, %d requests refused",
				name, l.ended.Load(), l.n, l.wire.refused.Load())
			select {
			case <-tick.C:
			case <-done:
				fmt.Fprint(stderr, "\r\x1b[K") // wipes the line
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// isTerminal takes /dev/null for one too, which does no harm.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

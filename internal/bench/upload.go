package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/transport"
)

// uploads are PUTs to a loopback server that refuses them twice, at the end of
// the body, and wants no pause.
func uploads() []row {
	return []row{
		{
			name: "upload/1 MiB", unit: "µs", aim: aim{times: 1.05, allocs: anyAllocs}, open: uploading(1<<20, loop),
			about: "A PUT that is answered with 429, 429 and 200; by a new client, over connections that are there. Ours pauses before it sends again, for as short as a timer can; the others are set not to.",
		}, {
			name: "upload/128 MiB", unit: "µs", aim: aim{times: 1.05, peak: 1 << 20, allocs: anyAllocs}, rounds: 5,
			open:  uploading(128<<20, onceWithPeak),
			about: "The same with 128 times as much.",
		},
	}
}

// uploaders are those of the clients that send again. What the floor does is
// the least that a program can do by hand.
func uploaders() []client {
	all := []client{
		{"by hand", floor, func(base http.RoundTripper) http.RoundTripper { return byHand{base} }},
		{"headway", ours, func(base http.RoundTripper) http.RoundTripper {
			return &transport.Transport{Base: base, Backoff: backoff.Policy{Min: 1, Max: 1}}
		}},
	}
	for _, c := range clients {
		switch c.name {
		case "rehttp", "retryablehttp", "failsafehttp":
			all = append(all, c)
		}
	}
	return all
}

// byHand sends again, with the body that GetBody has.
type byHand struct{ base http.RoundTripper }

func (h byHand) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := h.base.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests {
			return resp, err
		}
		resp.Body.Close()
		req = req.Clone(req.Context())
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
}

func uploading(size int, as func(string, role, func() error) contender) func(*bench) ([]contender, error) {
	return func(b *bench) (all []contender, err error) {
		size := b.size(size)
		server, refusals := refusingServer()
		base := &http.Transport{}
		b.cleanup(func() { base.CloseIdleConnections(); server.Close() })
		b.oneProcessor()
		for _, c := range uploaders() {
			put := func() error {
				req, err := newPut(b, server.URL, size)
				if err != nil {
					return err
				}
				refusals.Store(2)
				return calling(c.wrap(base), req)()
			}
			if err := put(); err != nil { // connections are made
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			all = append(all, inMicroseconds(as(c.name, c.as, put)))
		}
		return all, nil
	}
}

// onceWithPeak is a contender whose work takes long, and may take much memory.
func onceWithPeak(name string, as role, op func() error) contender {
	return contender{name, as, func(time.Duration) (sample, error) {
		return withPeak(func() (sample, error) {
			return measure(1, func(int) error { return op() })
		})
	}}
}

// refusingServer reads each body, and refuses as many as the number says.
func refusingServer() (*httptest.Server, *atomic.Int64) {
	refusals := new(atomic.Int64)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
		if refusals.Add(-1) >= 0 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})), refusals
}

// newPut has a body that is nowhere in memory.
func newPut(b *bench, url string, size int) (*http.Request, error) {
	body := func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(repeated{}, int64(size))), nil
	}
	first, _ := body()
	req, err := http.NewRequestWithContext(b.ctx, http.MethodPut, url, first)
	if err != nil {
		return nil, err
	}
	req.ContentLength, req.GetBody = int64(size), body
	return req, nil
}

// repeated is an endless text.
type repeated struct{}

var text = bytes.Repeat([]byte("headway "), 4096)

func (repeated) Read(p []byte) (int, error) { return copy(p, text), nil }

// withPeak looks every half a millisecond at how much more heap there is than
// before.
func withPeak(do func() (sample, error)) (sample, error) {
	runtime.GC()
	before := heap()
	var peak uint64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(500 * time.Microsecond)
		defer tick.Stop()
		for {
			peak = max(peak, heap())
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
	s, err := do()
	close(stop)
	wg.Wait()
	s.peak = float64(peak - min(peak, before))
	return s, err
}

// heap is what objects take up, those included that are garbage already.
func heap() uint64 {
	read := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(read)
	return read[0].Value.Uint64()
}

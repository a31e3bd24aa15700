// Hosts sets limits by hand for servers that publish none: one for each host,
// and a stricter one for a single route. Calls to one host do not wait for
// another.
//
//	go run ./examples/hosts
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/examples/internal/demo"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// The server takes all: the limits are ours.
var limit = throttletest.Config{Rate: 1e6, Burst: 1e6, Dialect: throttletest.Nothing}

var limits = transport.Limits{
	"a.example/":            {{Rate: 10, Burst: 5}},                          // 10 a second, 5 at once
	"b.example/":            {{Rate: 4, Burst: 1}},                           // 4 a second, one at a time
	"POST b.example/report": {{Rate: rate.Every(2 * time.Second), Burst: 1}}, // one each two seconds
}

func main() { demo.Main(limit, call) }

func call(ctx context.Context, base http.RoundTripper, url string, out io.Writer) error {
	t := &transport.Transport{Base: elsewhere{base, url}, Limits: limits}
	if err := t.Validate(); err != nil {
		return err // names the pattern and what is wrong with it
	}
	client := &http.Client{Transport: t}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var all error
	start := time.Now()
	for _, work := range []struct {
		method, url string
		n           int
	}{{http.MethodGet, "http://a.example/items", 25}, {http.MethodGet, "http://b.example/items", 9}, {http.MethodPost, "http://b.example/report", 2}} {
		wg.Go(func() {
			err := repeat(ctx, client, work.method, work.url, work.n)
			mu.Lock()
			defer mu.Unlock()
			all = errors.Join(all, err)
			fmt.Fprintf(out, "%d calls of %s %s were done after %v\n", work.n, work.method, work.url, time.Since(start).Round(100*time.Millisecond))
		})
	}
	wg.Wait()
	return all
}

func repeat(ctx context.Context, client *http.Client, method, url string, n int) error {
	for range n {
		req, err := http.NewRequestWithContext(ctx, method, url, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	return nil
}

// elsewhere stands for the hosts of the example: it sends all their calls to one
// server.
type elsewhere struct {
	base http.RoundTripper
	url  string
}

func (e elsewhere) RoundTrip(req *http.Request) (*http.Response, error) {
	there, err := http.NewRequestWithContext(req.Context(), req.Method, e.url+req.URL.Path, req.Body)
	if err != nil {
		return nil, err
	}
	return e.base.RoundTrip(there)
}

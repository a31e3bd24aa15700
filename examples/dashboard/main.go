// Dashboard opens a page that makes nine calls at once, three times, at a server
// that takes 60 calls a minute and ten at once. The first time nothing waits;
// after that the calls go as fast as the limit lets them, and none is refused.
//
//	go run ./examples/dashboard
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/examples/internal/demo"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

var limit = throttletest.Config{Rate: 1, Burst: 10, Window: time.Minute}

var widgets = []string{
	"user", "account", "flags", "orders", "returns", "chart/day", "chart/week", "chart/month", "chart/year",
}

func main() { demo.Main(limit, show) }

func show(ctx context.Context, base http.RoundTripper, url string, out io.Writer) error {
	client := &http.Client{Transport: &transport.Transport{Base: base}}
	for visit, pause := range []time.Duration{0, 5 * time.Second, 10 * time.Second} {
		time.Sleep(pause)
		start := time.Now()
		if err := open(ctx, client, url); err != nil {
			return err
		}
		fmt.Fprintf(out, "visit %d, %v after the last: all nine parts there after %v\n", visit+1, pause, time.Since(start).Round(100*time.Millisecond))
	}
	return nil
}

// open makes the calls of the page all at once.
func open(ctx context.Context, client *http.Client, url string) error {
	errs := make([]error, len(widgets))
	var wg sync.WaitGroup
	for i, widget := range widgets {
		wg.Go(func() { errs[i] = demo.Get(ctx, client, url+"/"+widget) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Retryable is for a program that already calls through a client of
// hashicorp/go-retryablehttp: the Transport goes below it, paces every attempt
// and waits refusals out, and go-retryablehttp goes on retrying what else fails.
//
//	go run ./examples/retryable
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/headway-go/headway/examples/internal/demo"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

var limit = throttletest.Config{Rate: 20, Burst: 10}

func main() { demo.Main(limit, call) }

func call(ctx context.Context, base http.RoundTripper, url string, out io.Writer) error {
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.HTTPClient.Transport = &transport.Transport{Base: base}
	start := time.Now()
	for range 50 {
		req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
	fmt.Fprintf(out, "50 calls took %v; the limit allows %v\n", time.Since(start).Round(100*time.Millisecond), (50-10)*time.Second/20)
	return nil
}

// Publish is the server's side: a handler that keeps a limit and publishes it,
// rate and burst, with every answer, so that clients can pace themselves. A
// client with a Transport then calls it as fast as it may, and is not refused.
//
//	go run ./examples/publish
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"time"

	"github.com/headway-go/headway/examples/internal/demo"
	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// The limit of the server: 20 calls a second, 10 at once.
const (
	perSecond = 20
	burst     = 10
)

func main() {
	srv := httptest.NewServer(limited(http.HandlerFunc(hello)))
	defer srv.Close()
	if err := call(context.Background(), http.DefaultTransport, srv.URL, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") }

// limited keeps the limit before next, and tells of it.
func limited(next http.Handler) http.Handler {
	lim := throttle.NewLimiter(perSecond, burst)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ok := lim.Allow()
		left := max(0, math.Floor(lim.Tokens()))
		_ = headers.Set(w.Header(), headers.Policy{ // an error would say which field is no number
			Limit:     headers.Some(float64(perSecond)),
			Window:    time.Second,
			Burst:     headers.Some(float64(burst)),
			Remaining: headers.Some(left),
		})
		if !ok {
			w.Header().Set("Retry-After", strconv.Itoa(1))
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// call is a client of the server.
func call(ctx context.Context, base http.RoundTripper, url string, out io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := base.RoundTrip(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	for _, name := range []string{"RateLimit-Policy", "RateLimit"} {
		fmt.Fprintf(out, "%s: %s\n", name, resp.Header.Get(name))
	}
	client := &http.Client{Transport: &transport.Transport{Base: base, MaxAttempts: 1}} // a refusal would show
	start := time.Now()
	for range 50 {
		if err := demo.Get(ctx, client, url); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "50 calls, none refused, took %v; the limit allows %v\n", time.Since(start).Round(100*time.Millisecond), (51-burst)*time.Second/perSecond)
	return nil
}

// Credentials calls one host for three customers, whose calls the server counts
// by their token. With the host and the Authorization field for a key, one who
// has used up his limit does not hold up the others. The token itself is in no
// error and no event: the key has a hash of it.
//
//	go run ./examples/credentials
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

var limit = throttletest.Config{
	Rate: 10, Burst: 5,
	Key: func(r *http.Request) string { return r.Header.Get("Authorization") },
}

func main() { demo.Main(limit, call) }

func call(ctx context.Context, base http.RoundTripper, url string, out io.Writer) error {
	client := &http.Client{Transport: &transport.Transport{
		Base: base,
		Key:  transport.KeyByHostAndHeader("Authorization"),
	}}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var all error
	start := time.Now()
	for token, calls := range map[string]int{"Bearer one": 25, "Bearer two": 15, "Bearer three": 5} {
		wg.Go(func() {
			var err error
			for range calls {
				err = errors.Join(err, demo.Get(ctx, client, url, "Authorization", token))
			}
			mu.Lock()
			defer mu.Unlock()
			all = errors.Join(all, err)
			fmt.Fprintf(out, "%d calls of one customer were done after %v\n", calls, time.Since(start).Round(100*time.Millisecond))
		})
	}
	wg.Wait()
	return all
}

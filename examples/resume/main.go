// Resume has thirty apps come back to the foreground together: each refreshes
// five things at once, with a Transport of its own that knows nothing of the
// others, at a server that takes 50 calls a second and 50 at once, for all of them.
// Each spreads its calls as soon as it hears how little is left.
//
//	go run ./examples/resume
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

var limit = throttletest.Config{Rate: 50, Burst: 50}

const (
	apps  = 30
	calls = 5
)

func main() { demo.Main(limit, resume) }

func resume(ctx context.Context, base http.RoundTripper, url string, out io.Writer) error {
	start := time.Now()
	errs := make([]error, apps*calls)
	var wg sync.WaitGroup
	for app := range apps {
		client := &http.Client{Transport: &transport.Transport{Base: base, MaxAttempts: 10}}
		for call := range calls {
			wg.Go(func() { errs[app*calls+call] = demo.Get(ctx, client, fmt.Sprintf("%s/%d", url, call)) })
		}
	}
	wg.Wait()
	fmt.Fprintf(out, "%d apps with %d calls each were done after %v; the limit allows %v\n",
		apps, calls, time.Since(start).Round(100*time.Millisecond), (apps*calls-50)*time.Second/50)
	return errors.Join(errs...)
}

// Github calls an API like GitHub's with google/go-github, through a client that
// paces itself. The API counts searches apart from other calls, ten of them a
// window of four seconds; the Transport learns from the answers which calls these are,
// so that the others do not wait for them.
//
//	go run ./examples/github
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
	"time"

	"github.com/google/go-github/v84/github"
	"github.com/headway-go/headway/transport"
)

const (
	searches = 25
	others   = 100
)

func main() {
	api := newAPI()
	srv := httptest.NewServer(api)
	defer srv.Close()
	if err := run(context.Background(), http.DefaultTransport, srv.URL, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("the server refused %d calls\n", api.refusals())
}

func run(ctx context.Context, base http.RoundTripper, url string, out io.Writer) error {
	paced := &transport.Transport{Base: base, Spread: -1} // alone on its quota, it need not spread it
	client, err := github.NewClient(&http.Client{Transport: paced}).WithEnterpriseURLs(url, url)
	if err != nil {
		return err
	}
	client.DisableRateLimitCheck = true // go-github would give up where the Transport waits

	var errs [2]error
	var wg sync.WaitGroup
	start := time.Now()
	for i, job := range []struct {
		what string
		n    int
		call func() error
	}{
		{"searches", searches, func() error {
			_, _, err := client.Search.Repositories(ctx, "headway", nil)
			return err
		}},
		{"other calls", others, func() error {
			_, _, err := client.Repositories.Get(ctx, "golang", "go")
			return err
		}},
	} {
		wg.Go(func() {
			for range job.n {
				errs[i] = errors.Join(errs[i], job.call())
			}
			fmt.Fprintf(out, "%d %s were done after %v\n", job.n, job.what, time.Since(start).Round(100*time.Millisecond))
		})
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

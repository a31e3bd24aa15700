// Package demo has what the examples share and is beside their point: a server
// on a loopback socket, and a call whose answer is thrown away.
package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"

	"github.com/headway-go/headway/throttle/throttletest"
)

// Main runs an example against a server of its own with the given limit, and
// ends the process if it fails.
func Main(limit throttletest.Config, example func(ctx context.Context, base http.RoundTripper, url string, out io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	h, err := throttletest.NewHandler(limit)
	if err == nil {
		srv := httptest.NewServer(h)
		defer srv.Close()
		err = example(ctx, http.DefaultTransport, srv.URL, os.Stdout)
		fmt.Printf("the server took %d calls and refused %d\n", h.Admitted(), h.Refused())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Get makes a call and reads its answer to the end.
func Get(ctx context.Context, client *http.Client, url string, header ...string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err = io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode >= 400 {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}

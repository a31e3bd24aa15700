package throttletest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
)

// In a bubble the server's clock is virtual: this takes no time, and always
// comes out the same.
func ExampleNewMemoryServer() {
	t := new(testing.T) // a test has its own
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1, Burst: 2})
		start := time.Now()
		for range 5 {
			resp, err := srv.Client().Get(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			fmt.Println(time.Since(start), resp.StatusCode, resp.Header.Get("RateLimit"))
			time.Sleep(500 * time.Millisecond)
		}
		fmt.Println("refused:", srv.Refused())
		fmt.Println("five calls take at least", srv.Bound(5))
	})
	// Output:
	// 0s 200 "default";r=1;t=1
	// 500ms 200 "default";r=0;t=1
	// 1s 200 "default";r=0;t=1
	// 1.5s 429 "default";r=0;t=1
	// 2s 200 "default";r=0;t=1
	// refused: 1
	// five calls take at least 3s
}

// A program that is no test wraps the Handler in a server of its own. This one
// is a real server, so its limit gives nothing back while the example runs.
func ExampleNewHandler() {
	h, err := throttletest.NewHandler(throttletest.Config{
		Rate:    2.0 / 3600,
		Burst:   3,
		Window:  time.Hour,
		Dialect: throttletest.Draft06,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	for range 4 {
		resp, err := srv.Client().Get(srv.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Printf("%s, %s left, %s", resp.Status, resp.Header.Get("RateLimit-Remaining"), body)
	}
	fmt.Println(h.Admitted(), "admitted,", h.Refused(), "refused")
	// Output:
	// 200 OK, 2 left, ok
	// 200 OK, 1 left, ok
	// 200 OK, 0 left, ok
	// 429 Too Many Requests, 0 left, Too Many Requests
	// 3 admitted, 1 refused
}

// The server can be made to fail for reasons that have nothing to do with the
// limit.
func ExampleHandler_Script() {
	h, err := throttletest.NewHandler(throttletest.Config{Rate: 100, Burst: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	h.Script(
		throttletest.Answer{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"120"}}},
		throttletest.Answer{Status: http.StatusBadGateway},
	)
	for range 3 {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
		fmt.Printf("%d %q\n", rec.Code, rec.Header().Get("Retry-After"))
	}
	// Output:
	// 503 "120"
	// 502 ""
	// 200 ""
}

package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
	"github.com/headway-go/headway/transport/record"
	"golang.org/x/time/rate"
)

func Example() {
	// A server that allows three calls at once, and a hundred a second.
	server, err := throttletest.NewHandler(throttletest.Config{Rate: 100, Burst: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	listening := httptest.NewServer(server)
	defer listening.Close()

	client := &http.Client{Transport: &transport.Transport{}}
	for range 20 {
		resp, err := client.Get(listening.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}
	fmt.Println("admitted", server.Admitted(), "refused", server.Refused())
	// Output: admitted 20 refused 0
}

func ExampleTransport_limits() {
	t := &transport.Transport{
		Limits: transport.Limits{
			"api.example.com/":       {{Rate: 10, Burst: 5}},
			"GET api.example.com/v2": {throttle.Per(5000, 24*time.Hour)},
		},
	}
	fmt.Println(t.Validate())

	fmt.Println(t.SetLimits(transport.Limits{"api.example.com/": {{Rate: -10}}}))
	// Output:
	// <nil>
	// transport: Limits["api.example.com/"]: Rate: -10 must not be negative
}

// A program that makes three calls a second, against a limit of one: none of them
// is held up, and each is told how long it would have been.
func ExampleTransport_shadow() {
	client := &http.Client{Transport: &transport.Transport{
		Base:   noNetwork{},
		Shadow: true,
		Limits: transport.Limits{"api.example.com/": {{Rate: 1, Burst: 1}}},
		Observe: func(_ context.Context, ev transport.Event) {
			if ev.Kind == transport.EventWaited {
				fmt.Println("would have waited", ev.Wait.Round(100*time.Millisecond), "for the", ev.Cause)
			}
		},
	}}
	for range 3 {
		resp, err := client.Get("https://api.example.com/")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}
	// Output:
	// would have waited 1s for the limit
	// would have waited 2s for the limit
}

func ExampleTransport_record() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, err := record.Open(filepath.Join(dir, "calls.jsonl"), 100<<20) // two files of 100 MiB at most
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: &transport.Transport{Base: noNetwork{}, Record: file}}
	resp, err := client.Get("https://api.example.com/v1/things?key=secret")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()
	if err := file.Close(); err != nil {
		fmt.Println(err)
		return
	}

	in, err := os.Open(filepath.Join(dir, "calls.jsonl"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = in.Close() }()
	for line, err := range record.Lines(in) {
		fmt.Println(line.Key, line.Method, line.Wait, line.Status, err)
	}
	// Output: api.example.com GET 0s 200 <nil>
}

// A base that answers by itself.
type noNetwork struct{}

func (noNetwork) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}

func ExampleKeyByHostAndHeader() {
	// Each credential has a limit of its own at this server.
	t := &transport.Transport{
		Key:    transport.KeyByHostAndHeader("Authorization"),
		Limits: transport.Limits{"/": {{Rate: rate.Every(time.Second), Burst: 10}}},
	}
	fmt.Println(t.Validate())
	// Output: <nil>
}

package transport_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
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

func ExampleTransport_observe() {
	t := &transport.Transport{
		Observe: func(ctx context.Context, ev transport.Event) {
			slog.InfoContext(ctx, string(ev.Kind), "key", ev.Key, "attempt", ev.Attempt, "wait", ev.Wait)
		},
	}
	client := &http.Client{Transport: t}
	client.CloseIdleConnections()
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

package examples

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// The Go of the guides in docs/ is taken from the functions below.

func TestGuides(t *testing.T) {
	for name, err := range map[string]error{
		"limits":        (&transport.Transport{Limits: windowsAndBuckets()}).Validate(),
		"key":           keyOfOnesOwn().Validate(),
		"x/time":        fromXTime().Transport.(*transport.Transport).Validate(),
		"retryablehttp": fromRetryable().Transport.(*transport.Transport).Validate(),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := costAndPriority(t.Context(), "https://api.example.com/"); err != nil {
		t.Error(err)
	}
}

func windowsAndBuckets() transport.Limits {
	limits := transport.Limits{
		"api.example.com/": {
			{Rate: 10, Burst: 20},          // 10 a second, 20 at once
			throttle.Per(10000, time.Hour), // and never more than 10,000 in an hour
		},
	}
	return limits
}

func keyOfOnesOwn() *transport.Transport {
	t := &transport.Transport{
		Key: func(req *http.Request) string { // limits by the first word of the path
			area, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
			return transport.KeyByHost(req) + "/" + area
		},
	}
	return t
}

func costAndPriority(ctx context.Context, url string) (*http.Request, error) {
	ctx = throttle.WithCost(ctx, 5)                // this report counts as five calls
	ctx = throttle.WithPriority(ctx, throttle.Low) // others go first, but it is not starved
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	return req, err
}

func passOn(w http.ResponseWriter, client *http.Client, req *http.Request) {
	resp, err := client.Do(req)
	if wait, ok := errors.AsType[*throttle.WaitError](err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Wait.Seconds()))))
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	if err == nil {
		resp.Body.Close()
	}
}

var _ = passOn

func fromXTime() *http.Client {
	client := &http.Client{Transport: &transport.Transport{
		Limits: transport.Limits{"api.example.com/": {{Rate: 10, Burst: 5}}}, // was rate.NewLimiter(10, 5)
	}}
	return client
}

func fromRetryable() *http.Client {
	client := &http.Client{Transport: &transport.Transport{
		MaxAttempts: 5,                                                       // was RetryMax: 4
		Backoff:     backoff.Policy{Min: time.Second, Max: 30 * time.Second}, // was RetryWaitMin, RetryWaitMax
	}}
	return client
}

package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/headway-go/headway/backoff"
)

// Without jitter the delays are the same each time. A hint makes a delay
// longer than Max, but never shorter.
func ExamplePolicy_Delay() {
	p := backoff.Policy{Min: time.Second, Max: 10 * time.Second, Jitter: backoff.NoJitter}
	for n := range 5 {
		fmt.Println(p.Delay(n, 0), p.Delay(n, 3*time.Second))
	}
	fmt.Println(p.Delay(0, time.Hour))
	// Output:
	// 1s 3s
	// 2s 3s
	// 4s 4s
	// 8s 8s
	// 10s 10s
	// 1h0m0s
}

// The schedule of the zero Policy.
func ExamplePolicy_Bounds() {
	var total time.Duration
	for n := range backoff.DefaultMaxAttempts - 1 {
		lo, hi := backoff.Policy{}.Bounds(n)
		mean := lo + (hi-lo)/2
		total += mean
		fmt.Printf("retry %d: %v to %v, expected %v, in all %v\n", n+1, lo, hi, mean, total)
	}
	// Output:
	// retry 1: 100ms to 200ms, expected 150ms, in all 150ms
	// retry 2: 200ms to 400ms, expected 300ms, in all 450ms
	// retry 3: 400ms to 800ms, expected 600ms, in all 1.05s
}

func ExamplePolicy_Validate() {
	err := backoff.Policy{Jitter: 50}.Validate() // meant 50 %
	fmt.Println(err)
	// Output:
	// backoff: Policy.Jitter is neither NoJitter nor from 0 to 1: 50
}

// Code that waits by itself asks a Sequence.
func ExamplePolicy_Start() {
	seq := backoff.Policy{Jitter: backoff.NoJitter, MaxAttempts: 3}.Start()
	for range 3 {
		fmt.Println(seq.Next(0))
	}
	// Output:
	// 100ms <nil>
	// 200ms <nil>
	// 0s backoff: all attempts are used up
}

func ExampleRetry() {
	p := backoff.Policy{Max: time.Microsecond} // so that the example is quick
	attempts := 0
	greeting, err := backoff.Retry(context.Background(), p, func(ctx context.Context) (string, error) {
		attempts++
		if attempts < 3 {
			return "", errors.New("try later")
		}
		return "hello", nil
	})
	fmt.Println(greeting, err, attempts)
	// Output:
	// hello <nil> 3
}

// overloaded is an error that says when to come back.
type overloaded struct{ wait time.Duration }

func (e overloaded) Error() string             { return "overloaded" }
func (e overloaded) RetryAfter() time.Duration { return e.wait }

// The server asks for more time than there is, so Retry does not wait in vain.
func ExampleRetry_hint() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	p := backoff.Policy{HintJitter: backoff.NoJitter}
	_, err := backoff.Retry(ctx, p, func(ctx context.Context) (string, error) {
		return "", overloaded{wait: time.Hour}
	})
	if e, ok := errors.AsType[*backoff.RetryError](err); ok {
		fmt.Println("attempts:", e.Attempts, "wait:", e.Wait)
	}
	fmt.Println(errors.Is(err, context.DeadlineExceeded), errors.Is(err, overloaded{time.Hour}))
	// Output:
	// attempts: 1 wait: 1h0m0s
	// true true
}

func ExamplePermanent() {
	errNoSuchUser := errors.New("no such user")
	_, err := backoff.Retry(context.Background(), backoff.Policy{}, func(ctx context.Context) (int, error) {
		return 0, backoff.Permanent(errNoSuchUser)
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, errNoSuchUser))
	// Output:
	// backoff: gave up after attempt 1: error is permanent: no such user
	// true
}

// The client asks for a delay after its first request was refused.
func ExampleFunc() {
	client := retryablehttp.NewClient()
	client.Backoff = backoff.Func(backoff.Policy{Jitter: backoff.NoJitter}, retryAfter)

	for _, value := range []string{"", "0", "120", "9223372037"} {
		resp := &http.Response{Header: http.Header{"Retry-After": {value}}}
		fmt.Printf("%q: %v\n", value, client.Backoff(client.RetryWaitMin, client.RetryWaitMax, 0, resp))
	}
	// Output:
	// "": 1s
	// "0": 1s
	// "120": 2m0s
	// "9223372037": 2562047h47m16s
}

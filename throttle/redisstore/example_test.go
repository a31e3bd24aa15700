package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/redisstore"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// Each process of a fleet has this, and no more than that in common.
func Example() {
	store, err := redisstore.Open(os.Getenv("REDIS_URL")) // redis://user:password@host:6379
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: &transport.Transport{Store: store}}
	client.CloseIdleConnections()
}

// What is wrong with Redis can be known at the start.
func ExampleStore_Check() {
	store, err := redisstore.Open("redis://:secret@127.0.0.1:1") // nobody there
	if err != nil {
		fmt.Println(err)
		return
	}
	err = store.Check(context.Background())
	fmt.Println(errors.Is(err, redisstore.ErrUnavailable))
	// Output: true
}

// Nobody has to know it: without Redis, each process has its part.
func ExampleStore() {
	store, err := redisstore.Open("redis://127.0.0.1:1") // nobody there
	if err != nil {
		fmt.Println(err)
		return
	}
	store.Processes = 4
	store.Observe = func(e redisstore.Event) { fmt.Println("slots are", e.Mode) }

	exports, err := throttle.NewBudget(throttle.Limit{Rate: rate.Limit(1000), Burst: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	exports.SetStore(store, "exports")
	for range 3 {
		fmt.Println(exports.Wait(context.Background()))
	}
	// Output:
	// slots are alone
	// <nil>
	// <nil>
	// <nil>
}

func ExampleOpen() {
	_, err := redisstore.Open("http://localhost:6379")
	fmt.Println(errors.Is(err, redisstore.ErrURL))
	fmt.Println(err)
	// Output:
	// true
	// redisstore: not a Redis URL: redis: invalid URL scheme: http
}

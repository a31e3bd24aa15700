package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

func ExampleLimiter() {
	lim := throttle.NewLimiter(rate.Every(time.Minute), 2) // one a minute, two at once
	fmt.Println(lim.Allow(), lim.Allow(), lim.Allow())

	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := lim.Wait(ctx) // says at once that it would be too long
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output:
	// true true false
	// true
}

func ExamplePer() {
	limit := throttle.Per(1000, time.Hour)
	interval := time.Duration(float64(time.Second) / float64(limit.Rate))
	fmt.Println(limit.Burst, "at once, then one every", interval.Round(time.Second/10))
	// Output: 100 at once, then one every 4s
}

func ExampleBudget() {
	// Both limits hold for every call.
	b, err := throttle.NewBudget(
		throttle.Limit{Rate: 10, Burst: 3},
		throttle.Limit{Rate: rate.Every(time.Hour), Burst: 100},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	ticket, err := b.Acquire(context.Background(), throttle.Call{Cost: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ticket.Done()

	_, err = b.Acquire(context.Background(), throttle.Call{MaxWait: 10 * time.Millisecond})
	if wait, ok := errors.AsType[*throttle.WaitError](err); ok {
		fmt.Println("held by the", wait.Cause, "for", wait.Wait.Round(100*time.Millisecond))
	}
	// Output: held by the limit for 100ms
}

func ExampleTicket_Refused() {
	var b throttle.Budget
	ticket, err := b.Acquire(context.Background(), throttle.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The server said 429, Retry-After: 60, and nothing of its limits.
	ticket.Refused(throttle.Refusal{Delay: func(strikes int) time.Duration { return time.Minute }})
	ticket.Done()

	_, err = b.Acquire(context.Background(), throttle.Call{MaxWait: time.Second})
	if wait, ok := errors.AsType[*throttle.WaitError](err); ok {
		fmt.Println("held by the", wait.Cause, "for", wait.Wait.Round(time.Second))
	}
	// Output: held by the cool-down for 1m0s
}

func ExampleBudget_Lane() {
	b, err := throttle.NewBudget(throttle.Limit{Rate: 1, Burst: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	logins, err := b.Lane("logins", throttle.Limit{Rate: rate.Every(time.Minute)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(logins.Allow(), logins.Allow()) // one a minute
	fmt.Println(b.Allow())                      // the budget still has some
	// Output:
	// true false
	// true
}

func ExampleMemory() {
	// Two budgets that draw on one limit.
	var store throttle.Memory
	limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 2}
	var budgets [2]*throttle.Budget
	for i := range budgets {
		b, err := throttle.NewBudget(limit)
		if err != nil {
			fmt.Println(err)
			return
		}
		b.SetStore(&store, "api.example.com")
		budgets[i] = b
	}
	for i := range 3 {
		_, err := budgets[i%2].Acquire(context.Background(), throttle.Call{MaxWait: time.Minute})
		fmt.Println(err == nil)
	}
	// Output:
	// true
	// true
	// false
}

func ExampleKeyed() {
	tenants := throttle.Keyed{New: func(string) *throttle.Budget {
		b, _ := throttle.NewBudget(throttle.Limit{Rate: 1, Burst: 1})
		return b
	}}
	fmt.Println(tenants.Budget("a").Allow(), tenants.Budget("a").Allow(), tenants.Budget("b").Allow())
	// Output: true false true
}

package simulate_test

import (
	"fmt"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

const ms = time.Millisecond

// A bucket of 5 that gets one token a second, and a burst that asks for more.
func ExampleReplay() {
	bucket, err := simulate.NewTokenBucket(simulate.Rate{Count: 1, Per: time.Second}, 5)
	if err != nil {
		panic(err)
	}
	var arrivals []simulate.Arrival
	for _, at := range []int{0, 100, 200, 300, 400, 500, 1500, 2000, 2100, 2200, 5000} {
		arrivals = append(arrivals, simulate.Arrival{At: time.Duration(at) * ms, Cost: 1})
	}
	var sum simulate.Summary
	for step, err := range simulate.Replay(bucket, simulate.List(arrivals).All()) {
		if err != nil {
			panic(err)
		}
		sum.Add(step)
		fmt.Printf("%-5v %.1f ", step.At, step.Before)
		if step.Admitted {
			fmt.Printf("allowed, %.1f left\n", step.Left)
		} else {
			fmt.Printf("refused, retry at %v\n", step.RetryAt)
		}
	}
	fmt.Printf("%d allowed, %d refused, %.1f/s, largest burst %d\n", sum.Allowed, sum.Refused, sum.Rate(), sum.LargestBurst())
	// Output:
	// 0s    5.0 allowed, 4.0 left
	// 100ms 4.1 allowed, 3.1 left
	// 200ms 3.2 allowed, 2.2 left
	// 300ms 2.3 allowed, 1.3 left
	// 400ms 1.4 allowed, 0.4 left
	// 500ms 0.5 refused, retry at 1s
	// 1.5s  1.5 allowed, 0.5 left
	// 2s    1.0 allowed, 0.0 left
	// 2.1s  0.1 refused, retry at 3s
	// 2.2s  0.2 refused, retry at 3s
	// 5s    3.0 allowed, 2.0 left
	// 8 allowed, 3 refused, 1.6/s, largest burst 5
}

// Around the end of a fixed window, twice its limit gets through.
func ExampleRun() {
	window, err := simulate.NewFixedWindow(simulate.Rate{Count: 100, Per: time.Minute}, 0)
	if err != nil {
		panic(err)
	}
	bursts := simulate.Merge(simulate.Batch(59900*ms, 150), simulate.Batch(60100*ms, 150))
	sum, err := simulate.Run(window, bursts.All())
	fmt.Println(sum.Allowed, sum.Refused, sum.LargestBurst(), err)
	// Output: 200 100 200 <nil>
}

// obedient sends at once, and after a refusal all calls wait as long as the
// server asked.
type obedient struct{ until time.Duration }

func (o *obedient) Ask(now time.Duration, c *simulate.Call) time.Duration { return max(now, o.until) }
func (o *obedient) Sent(now time.Duration, c *simulate.Call)              {}
func (o *obedient) Answered(now time.Duration, c *simulate.Call, a simulate.Answer) bool {
	if a.Has(simulate.SaidRetryAfter) {
		o.until = max(o.until, now+a.RetryAfter)
	}
	return a.Status != 200
}

// Two processes of four workers share a limit of 10/s for a minute. They do as
// they are told, return together, and a good third of their requests is in vain.
func ExampleProcess() {
	gcra, err := simulate.NewGCRA(100*ms, 900*ms)
	if err != nil {
		panic(err)
	}
	loop := &simulate.Loop{}
	site := &simulate.Site{
		Loop:    loop,
		Server:  gcra,
		Publish: simulate.Publisher{Headers: simulate.HeadersTrio, Retry: simulate.RetrySeconds},
	}
	for range 2 {
		p := &simulate.Process{
			Site:     site,
			Strategy: &obedient{},
			Net:      simulate.Network{RTT: 50 * ms},
		}
		p.Work(4, func(int) (cost int64, ok bool) { return 1, true })
	}
	loop.Run(time.Minute)

	seen := site.Seen
	used := simulate.Utilisation(float64(seen.Allowed), 1e9, 10, 10, time.Minute)
	fmt.Printf("used %.0f %%, refused %.0f %%, herd %d\n", 100*used, 100*simulate.Share(seen.Refused, seen.Allowed+seen.Refused), site.Herd.Max())
	// Output:
	// used 96 %, refused 42 %, herd 16
}

// The same server can answer a real client.
func ExamplePublisher_Fields() {
	window, err := simulate.NewSlidingLog(simulate.Rate{Count: 100, Per: time.Minute})
	if err != nil {
		panic(err)
	}
	publish := simulate.Publisher{Headers: simulate.HeadersIETF, Retry: simulate.RetrySeconds}
	for _, at := range []time.Duration{0, 30 * time.Second} {
		answer := publish.Answer(at, window.Arrive(at, 60), window.Policy())
		fmt.Println(answer.Status)
		for _, f := range publish.Fields(answer) {
			fmt.Printf("  %s: %s\n", f.Name, f.Value)
		}
	}
	// Output:
	// 200
	//   RateLimit-Policy: "default";q=100;w=60
	//   RateLimit: "default";r=40;t=60
	// 429
	//   RateLimit-Policy: "default";q=100;w=60
	//   RateLimit: "default";r=40;t=30
	//   Retry-After: 30
}

// A limit that halves for a minute, as it may in an incident.
func ExampleNewChanging() {
	full := simulate.Policy{Rate: simulate.Rate{Count: 10, Per: time.Second}, Burst: 10}
	half := simulate.Policy{Rate: simulate.Rate{Count: 5, Per: time.Second}, Burst: 5}
	bucket, err := simulate.NewTokenBucket(full.Rate, full.Burst)
	if err != nil {
		panic(err)
	}
	limit, err := simulate.NewChanging(bucket, simulate.Change{At: time.Minute, Policy: half}, simulate.Change{At: 2 * time.Minute, Policy: full})
	if err != nil {
		panic(err)
	}
	sum, err := simulate.Run(limit, simulate.Bursts(1, 10*ms, 3*time.Minute).All())
	fmt.Println(sum.Allowed, err)
	// Output: 1509 <nil>
}

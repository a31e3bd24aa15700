package league

import (
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// others are workloads for comparison.
func others() []Scenario {
	return []Scenario{export(), stepRefill(), traceReplay()}
}

func export() Scenario {
	const span = 10 * time.Minute
	return Scenario{
		Name:  "batch-export",
		About: "40 calls at once every 10 s at a published 5/s, burst 10: four fifths of the limit",
		span:  span, server: bucketOf(5, 10), publish: everything, network: wan,
		capacity: limitOf(5, 10).bucket(span), processes: 1, load: bursts(40, 10*time.Second), known: limitOf(5, 10),
	}
}

// stepRefill is the set-up of arXiv 2510.04516, as far as it is published: 100
// clients at Envoy's local rate limit. Their arrivals are not; these are at
// random, and ask for all that the server gives in half an hour.
func stepRefill() Scenario {
	const span, busy = 2 * time.Hour, 30 * time.Minute
	return Scenario{
		Name:  "step-refill-100",
		About: "100 processes of one worker at a hidden bucket of 50 that gets 40 more once a minute",
		span:  span,
		server: func() simulate.Server {
			return must(simulate.NewStepRefill(rateOf(40, time.Minute), 50, 0))
		},
		network: wan, capacity: 50 + 40*span.Minutes(),
		processes: 100, load: demand(1, 40./60/100, busy), known: limit{40. / 60, 50},
		bound: busy,
	}
}

func traceReplay() Scenario {
	const span = 30 * time.Minute
	trace := recorded(span - 5*time.Minute)
	return Scenario{
		Name:  "trace-replay",
		About: "the same recorded arrivals for every seed, in sessions of very unequal length, at a published 5/s, burst 20",
		span:  span, server: bucketOf(5, 20), publish: everything, network: wan,
		capacity: limitOf(5, 20).bucket(span), processes: 1, load: replay(64, trace), known: limitOf(5, 20),
	}
}

// recorded stands for an access log: sessions begin at random, and have from
// one call to a few hundred, 50 ms apart in the mean.
func recorded(until time.Duration) []simulate.Arrival {
	r := simulate.NewRand(1, 1)
	var sessions []simulate.Source
	for a := range simulate.Poisson(r, 0.25, until).All() {
		sessions = append(sessions, session(r, a.At))
	}
	var trace []simulate.Arrival
	for a := range simulate.Merge(sessions...).All() {
		trace = append(trace, a)
	}
	return trace
}

func session(r *rand.Rand, at time.Duration) simulate.Source {
	n := min(300, int(3/(1-r.Float64()))) // Pareto: most are short
	var calls []simulate.Arrival
	for range n {
		calls = append(calls, simulate.Arrival{At: at, Cost: 1})
		at += time.Duration(r.ExpFloat64() * float64(50*ms))
	}
	return simulate.List(calls)
}

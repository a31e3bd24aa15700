package league

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// heroku are the main run of zombocom/rate_throttle_client: 4500 calls an hour,
// none at first, for half an hour. Remaining is all that is published; the
// limit is known, to their clients and to ours.
func heroku() []Scenario {
	main := herokuRun("heroku-2x5", 2, 5)
	main.Targets = []Target{
		atMost("refused_ratio", 0.0025, "3.07 % (rate_throttle_client)"),
		atMost("stdev", 25, "78"),
		atLeast("utilisation", 0.994, "99.8 %"),
	}
	shared := herokuRun("heroku-shared", 2, 5)
	shared.About += ", all through one schedule where the strategy can"
	shared.shared = true
	shared.Targets = []Target{
		atMost("refused_ratio", 0.0005, ""),
		atLeast("utilisation", 0.999, ""),
		atLeast("jain", 0.999, ""),
	}
	return []Scenario{main, shared, herokuRun("heroku-10x1", 10, 1)}
}

func herokuRun(name string, processes, threads int) Scenario {
	const span = 30 * time.Minute
	return Scenario{
		Name:  name,
		About: fmt.Sprintf("rate_throttle_client's experiment: %d processes of %d threads share 4500 calls an hour, none at first", processes, threads),
		span:  span,
		server: func() simulate.Server {
			b := must(simulate.NewTokenBucket(rateOf(4500, time.Hour), 4500))
			must(0, b.SetLevel(0, 0))
			return b
		},
		publish: simulate.Publisher{Headers: simulate.HeadersRemaining},
		// Their 16.5 ms, ten times as long since their clock ran ten times as fast.
		network:  simulate.Network{RTT: 157 * ms, Jitter: 4 * ms, Sigma: 0.3},
		capacity: 1.25 * span.Seconds(), processes: processes, load: saturate(threads),
		known: limit{1.25, 4500}, tell: true, threads: threads,
	}
}

// neighbours are others, who do not cooperate, on the same budget.
func neighbours() []Scenario {
	poisson := neighbour("neighbour-poisson-30", "who calls at random, 30 % of the limit in the mean",
		func(r *rand.Rand, until time.Duration) simulate.Source { return simulate.Poisson(r, 3, until) })
	poisson.Targets = []Target{
		atMost("refused_ratio", 0.005, "5.5 % (x/time/rate)"),
		atMost("neighbour_refused_ratio", 0.02, "82 % (x/time/rate)"),
		atLeast("utilisation", 0.995, ""),
	}
	return []Scenario{
		poisson,
		neighbour("neighbour-poisson-60", "who calls at random, 60 % of the limit in the mean",
			func(r *rand.Rand, until time.Duration) simulate.Source { return simulate.Poisson(r, 6, until) }),
		neighbour("neighbour-bursty", "who calls ten times at once every ten seconds",
			func(_ *rand.Rand, until time.Duration) simulate.Source {
				return simulate.Bursts(10, 10*time.Second, until)
			}),
		processes("five-processes", 5, 4, everything),
		processes("five-processes-hidden", 5, 4, simulate.Publisher{}),
	}
}

func neighbour(name, who string, calls func(*rand.Rand, time.Duration) simulate.Source) Scenario {
	s := saturated(name, 10, wan)
	s.About = "one process that never rests, at a published 10/s, burst 10, of which others take a part: a neighbour " + who
	s.neighbour = calls
	return s
}

func processes(name string, n, workers int, publish simulate.Publisher) Scenario {
	s := saturated(name, 10, wan)
	s.About = fmt.Sprintf("%d processes of %d workers that never rest, at a token bucket of 10/s, burst 10", n, workers)
	s.processes, s.load, s.publish = n, saturate(workers), publish
	return s
}

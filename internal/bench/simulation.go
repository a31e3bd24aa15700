package main

import (
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/league"
	"github.com/headway-go/headway/throttle/simulate"
)

// simulations are what happens in virtual time.
func simulations() []row {
	return []row{
		{
			name: "simulate/arrivals", unit: "ns", open: arriving,
			about: "One arrival at a model of a server, in a replay: 100 ns are ten million a second.",
		}, {
			name: "simulate/league", unit: "s", open: playing, rounds: 3, aim: aim{allocs: anyAllocs},
			about: "All scenarios that have targets, played once by our strategy.",
		},
	}
}

func arriving(*bench) ([]contender, error) {
	minute := simulate.Rate{Count: 600, Per: time.Minute}
	gcra, err := simulate.NewGCRA(100*time.Millisecond, time.Second)
	bucket, err2 := simulate.NewTokenBucket(minute, 10)
	window, err3 := simulate.NewFixedWindow(minute, 0)
	log, err4 := simulate.NewSlidingLog(minute)
	counter, err5 := simulate.NewSlidingCounter(minute)
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	return []contender{
		replaying("GCRA", gcra), replaying("token bucket", bucket), replaying("fixed window", window),
		replaying("sliding log", log), replaying("sliding counter", counter),
	}, nil
}

// replaying sends arrivals that are twice as many as the server takes. Each
// slice goes on where the last one ended.
func replaying(name string, server simulate.Server) contender {
	at := time.Duration(0)
	return contender{name, ours, timed(func(n int) error {
		arrivals := func(yield func(simulate.Arrival) bool) {
			for range n {
				at += 50 * time.Millisecond
				if !yield(simulate.Arrival{At: at, Cost: 1}) {
					return
				}
			}
		}
		_, err := simulate.Run(server, iter.Seq[simulate.Arrival](arrivals))
		return err
	})}
}

func playing(b *bench) ([]contender, error) {
	scenarios := slices.DeleteFunc(league.Scenarios(), func(s league.Scenario) bool { return len(s.Targets) == 0 })
	scenarios = scenarios[:b.size(len(scenarios))]
	strategies := league.Strategies()
	headway := strategies[slices.IndexFunc(strategies, func(s league.Strategy) bool { return s.Name == "headway" })]
	play := func(int) error {
		for _, s := range scenarios {
			if _, err := league.RunContext(b.ctx, s, headway, []uint64{1}, nil); err != nil {
				return errInterrupted
			}
		}
		return nil
	}
	return []contender{{"headway", ours, func(time.Duration) (sample, error) {
		s, err := measure(1, play)
		s.value /= float64(time.Second)
		return s, err
	}}}, nil
}

package league

import (
	"math"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A load gives a process its work, and says how many calls that is.
type load func(w *world, i int, p *simulate.Process) (calls float64)

// saturate has workers that each make one call after the other, for ever.
func saturate(workers int) load {
	return func(_ *world, _ int, p *simulate.Process) float64 {
		p.Work(workers, func(int) (int64, bool) { return 1, true })
		return math.Inf(1)
	}
}

// atOnce hands in n calls at the start, each from a worker of its own.
func atOnce(n int) load { return bursts(n, 0) }

// bursts hands in n calls every so often, each from a worker of its own; once
// if every is 0.
func bursts(n int, every time.Duration) load {
	return func(w *world, _ int, p *simulate.Process) float64 {
		calls := 0
		w.loop.Feed(simulate.Bursts(n, every, w.scenario.span), func(simulate.Arrival) {
			p.Submit(calls%n, 1, nil)
			calls++
		})
		times := 1.0
		if every > 0 {
			times = math.Ceil(float64(w.scenario.span) / float64(every))
		}
		return float64(n) * times
	}
}

// demand hands in calls at random, perSecond in the mean, until the given
// instant, to so many workers: calls for which none is free wait outside of the
// client, and their wait counts from when it gets to see them.
func demand(workers int, perSecond float64, until time.Duration) load {
	return func(w *world, i int, p *simulate.Process) float64 {
		return employ(w, p, workers, simulate.Poisson(w.rand(forLoad, i), perSecond, until))
	}
}

// replay hands in the calls of a trace, to so many workers.
func replay(workers int, trace []simulate.Arrival) load {
	return func(w *world, _ int, p *simulate.Process) float64 {
		return employ(w, p, workers, simulate.List(trace))
	}
}

// employ gives the calls of a source to workers, and returns how many there are.
func employ(w *world, p *simulate.Process, workers int, source simulate.Source) float64 {
	var calls []simulate.Arrival
	for a := range source.All() {
		calls = append(calls, a)
	}
	var idle []int
	for i := range workers {
		idle = append(idle, i)
	}
	backlog := 0
	var submit func()
	done := func(c *simulate.Call, _ simulate.Answer) {
		idle = append(idle, c.Worker)
		submit()
	}
	submit = func() {
		for len(idle) > 0 && backlog > 0 {
			worker := idle[len(idle)-1]
			idle, backlog = idle[:len(idle)-1], backlog-1
			p.Submit(worker, 1, done)
		}
	}
	w.loop.Feed(simulate.List(calls), func(simulate.Arrival) { backlog++; submit() })
	return float64(len(calls))
}

package league

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A world is one run of a scenario.
type world struct {
	scenario *Scenario
	seed     uint64
	loop     *simulate.Loop
	site     *simulate.Site
	demand   float64 // calls there are to make
	tally    tally
}

// The parts of a run have random numbers of their own, so that what one
// strategy draws does not change the network.
const (
	forNetwork uint64 = iota
	forStrategy
	forLoad
	forNeighbour
	purposes
)

func (w *world) rand(purpose uint64, i int) *rand.Rand {
	return simulate.NewRand(w.seed, uint64(i)*purposes+purpose)
}

// newWorld has everything in place, at the start.
func newWorld(s *Scenario, with Strategy, seed uint64) *world {
	w := &world{scenario: s, seed: seed, loop: &simulate.Loop{}}
	w.site = &simulate.Site{Loop: w.loop, Server: s.server(), Publish: s.publish}
	w.watchServer()
	join := with.join(w)
	for i := range s.processes {
		p := &simulate.Process{Site: w.site, Net: s.network, Rand: w.rand(forNetwork, i)}
		p.Strategy = join(&client{world: w, index: i, process: p, rand: w.rand(forStrategy, i)})
		w.watch(i, p)
		w.demand += s.load(w, i, p)
	}
	if s.neighbour != nil {
		w.loop.Feed(s.neighbour(w.rand(forNeighbour, 0), s.span), w.visit)
	}
	return w
}

// play goes on to the end, or until ctx is done, and returns the figures.
func (w *world) play(ctx context.Context) Metrics {
	for at := time.Duration(0); at < w.scenario.span && ctx.Err() == nil; {
		at = min(at+time.Minute, w.scenario.span)
		w.loop.Run(at)
	}
	return w.metrics()
}

// visit is a call of a neighbour, who never tries again.
func (w *world) visit(a simulate.Arrival) {
	w.tally.foreign = true
	w.site.Serve(a.Cost)
	w.tally.foreign = false
}

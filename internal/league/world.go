package league

import (
	"math/rand/v2"

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

// play runs a scenario once.
func play(s *Scenario, with Strategy, seed uint64) Metrics {
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
	w.loop.Run(s.span)
	return w.metrics()
}

// visit is a call of a neighbour, who never tries again.
func (w *world) visit(a simulate.Arrival) {
	w.tally.foreign = true
	w.site.Serve(a.Cost)
	w.tally.foreign = false
}

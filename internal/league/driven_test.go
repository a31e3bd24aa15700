package league

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/simulate"
	"github.com/headway-go/headway/transport"
)

// A track is a run of a scenario with real Transports for its processes. It is
// their Base as well: the network and the server. The loop of its world has no
// events: it is the clock of site and tally, and is moved on before each use.
type track struct {
	t     *testing.T
	begun time.Time
	ctx   context.Context // ends with the span

	mu        sync.Mutex // never held while somebody waits
	world     *world
	processes []*driven
}

// driven is one process.
type driven struct {
	track     *track
	transport *transport.Transport
	rand      *rand.Rand
	watched   simulate.Process // for its Observe, which counts

	inFlight, conns int
}

// drive plays a scenario once. It must be called in a bubble of synctest.
func drive(t *testing.T, s *Scenario, do work, seed uint64) Metrics {
	t.Helper()
	if s.network.Loss > 0 {
		t.Fatalf("%s loses messages; a Base that does is still to be written", s.Name)
	}
	w := &world{scenario: s, seed: seed, loop: &simulate.Loop{}}
	w.site = &simulate.Site{Loop: w.loop, Server: s.server(), Publish: s.publish}
	w.watchServer()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &track{t: t, begun: time.Now(), ctx: ctx, world: w}
	// Not a deadline: the Transport would refuse the calls that cannot meet it.
	defer time.AfterFunc(s.span, cancel).Stop()
	c.employ()
	var wg sync.WaitGroup
	for i, p := range c.processes {
		w.demand += do(p, w.rand(forLoad, i), &wg)
	}
	if s.neighbour != nil {
		calls := s.neighbour(w.rand(forNeighbour, 0), s.span)
		wg.Go(func() { c.each(calls, func() { c.serve(true) }) })
	}
	wg.Wait()
	return w.metrics()
}

// employ makes the processes, with a Transport each, or one for all.
func (c *track) employ() {
	s := c.world.scenario
	for i := range s.processes {
		p := &driven{track: c, rand: c.world.rand(forNetwork, i)}
		c.world.watch(i, &p.watched)
		if s.shared && i > 0 {
			p.transport = c.processes[0].transport
		} else {
			p.transport = c.newTransport()
		}
		c.processes = append(c.processes, p)
	}
}

// newTransport has no bounds on waits and attempts, as in the simulation.
func (c *track) newTransport() *transport.Transport {
	t := &transport.Transport{Base: c, MaxWait: -1, MaxAttempts: math.MaxInt32}
	if s := c.world.scenario; s.tell {
		burst := int(s.known.burst)
		t.Limits = transport.Limits{"api.test/": {throttle.Limit{Rate: rate.Limit(s.known.rate), Burst: burst, Spent: burst - 1}}}
	}
	return t
}

// nowLocked moves the clock of the simulation on, and returns what it shows.
func (c *track) nowLocked() time.Duration {
	c.world.loop.Run(time.Since(c.begun))
	return c.world.loop.Now()
}

// each calls fn when the time of each arrival has come.
func (c *track) each(calls simulate.Source, fn func()) {
	for a := range calls.All() {
		if c.sleep(a.At-time.Since(c.begun)) != nil {
			return
		}
		fn()
	}
}

func (c *track) sleep(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.ctx.Done():
	}
	return c.ctx.Err()
}

// A leg is a call under way, and whose it is.
type leg struct {
	simulate.Call
	process *driven
}

type legKey struct{}

// call makes a call for a worker, and waits for its end. It reports whether
// there was time for it.
func (p *driven) call(worker int) bool {
	c := p.track
	l := &leg{process: p}
	l.Worker, l.Made = worker, time.Since(c.begun)
	req, err := http.NewRequestWithContext(context.WithValue(c.ctx, legKey{}, l), http.MethodGet, "http://api.test/", nil)
	if err != nil {
		c.t.Error(err)
		return false
	}
	resp, err := p.transport.RoundTrip(req)
	if c.ctx.Err() != nil {
		return false
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		c.t.Errorf("%v, %v; want a call to go on until it succeeds", resp, err)
		return false
	}
	return true
}

// RoundTrip implements [http.RoundTripper].
func (c *track) RoundTrip(req *http.Request) (*http.Response, error) {
	l := req.Context().Value(legKey{}).(*leg)
	trip := c.leave(l)
	if err := c.sleep(trip.Up); err != nil {
		return nil, err
	}
	a := c.serve(false)
	if err := c.sleep(trip.Down); err != nil {
		return nil, err
	}
	c.hear(l, a)
	resp := &http.Response{StatusCode: a.Status, Header: http.Header{}, Body: http.NoBody, Request: req}
	for _, f := range c.world.site.Publish.Fields(a) {
		resp.Header.Set(f.Name, f.Value)
	}
	return resp, nil
}

func (c *track) leave(l *leg) simulate.Trip {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := l.process
	l.SentAt = c.nowLocked()
	p.inFlight++
	first := p.inFlight > p.conns
	p.conns = max(p.conns, p.inFlight)
	return c.world.scenario.network.Trip(p.rand, first)
}

func (c *track) serve(foreign bool) simulate.Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nowLocked()
	c.world.tally.foreign = foreign
	_, a := c.world.site.Serve(1)
	return a
}

func (c *track) hear(l *leg, a simulate.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nowLocked()
	l.process.inFlight--
	l.process.watched.Observe(&l.Call, a)
}

// work gives a process what a load of the simulator does, and says how many
// calls that is.
type work func(p *driven, r *rand.Rand, wg *sync.WaitGroup) (calls float64)

// steadily is saturate.
func steadily(workers int) work {
	return func(p *driven, _ *rand.Rand, wg *sync.WaitGroup) float64 {
		for i := range workers {
			wg.Go(func() {
				for p.call(i) {
				}
			})
		}
		return math.Inf(1)
	}
}

// inBursts is bursts.
func inBursts(n int, every time.Duration) work {
	return func(p *driven, _ *rand.Rand, wg *sync.WaitGroup) float64 {
		span, total := p.track.world.scenario.span, 0
		for range simulate.Bursts(n, every, span).All() {
			total++
		}
		worker := 0
		wg.Go(func() {
			p.track.each(simulate.Bursts(n, every, span), func() {
				i := worker % n
				worker++
				wg.Go(func() { p.call(i) })
			})
		})
		return float64(total)
	}
}

// onDemand is demand.
func onDemand(workers int, perSecond float64) work {
	return func(p *driven, r *rand.Rand, wg *sync.WaitGroup) float64 {
		var calls []simulate.Arrival
		for a := range simulate.Poisson(r, perSecond, p.track.world.scenario.span).All() {
			calls = append(calls, a)
		}
		backlog := make(chan struct{}, len(calls))
		wg.Go(func() {
			defer close(backlog)
			p.track.each(simulate.List(calls), func() { backlog <- struct{}{} })
		})
		for i := range workers {
			wg.Go(func() {
				for range backlog {
					if !p.call(i) {
						return
					}
				}
			})
		}
		return float64(len(calls))
	}
}

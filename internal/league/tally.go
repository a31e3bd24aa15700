package league

import (
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A tally counts what happens from the scenario's start of counting on.
type tally struct {
	own, neighbours share
	foreign         bool // the call being served is a neighbour's
	herd            simulate.Peak
	clients         []share // by process or thread, as the answers came
	waits           simulate.Waits
	done            int64
	last            time.Duration // when the last call was done
}

// A share is how many requests were refused, of how many.
type share struct{ refused, requests int64 }

func (s *share) add(refused bool) {
	s.requests++
	if refused {
		s.refused++
	}
}

func (s share) ratio() float64 { return simulate.Share(s.refused, s.requests) }

// watchServer counts what arrives.
func (w *world) watchServer() {
	t, from := &w.tally, w.scenario.from
	t.herd.Window = 100 * ms
	t.clients = make([]share, w.scenario.processes*max(1, w.scenario.threads))
	w.site.Observe = func(s simulate.Step) {
		if s.At < from {
			return
		}
		t.herd.Add(s.At, 1)
		if t.foreign {
			t.neighbours.add(!s.Admitted)
		} else {
			t.own.add(!s.Admitted)
		}
	}
}

// watch counts the answers that the i-th process gets.
func (w *world) watch(i int, p *simulate.Process) {
	t, from, threads := &w.tally, w.scenario.from, w.scenario.threads
	p.Observe = func(c *simulate.Call, a simulate.Answer) {
		now := w.loop.Now()
		if now < from {
			return
		}
		client := i
		if threads > 0 {
			client = i*threads + c.Worker
		}
		t.clients[client].add(a.Status != 200)
		if a.Status == 200 {
			t.done, t.last = t.done+1, now
			t.waits.Add(max(0, c.SentAt-max(c.Made, from)))
		}
	}
}

func (w *world) metrics() Metrics {
	t, s := &w.tally, w.scenario
	admitted := t.own.requests - t.own.refused + t.neighbours.requests - t.neighbours.refused
	m := Metrics{
		Utilisation:           float64(admitted) / min(w.demand, s.capacity),
		RefusedRatio:          t.own.ratio(),
		RefusedTotal:          float64(t.own.refused),
		NeighbourRefusedRatio: t.neighbours.ratio(),
		P50Wait:               t.waits.Quantile(0.5).Seconds(),
		P99Wait:               t.waits.Quantile(0.99).Seconds(),
		MaxWait:               t.waits.Max().Seconds(),
		HerdPeak:              float64(t.herd.Max()),
	}
	if s.bound > 0 && float64(t.done) >= w.demand {
		m.MakespanRatio = (t.last - s.from).Seconds() / s.bound.Seconds()
	}
	t.compare(&m, s.threads > 0)
	return m
}

// compare works out the figures between clients.
func (t *tally) compare(m *Metrics, threads bool) {
	var requests, admitted, ratios []float64
	for _, c := range t.clients {
		requests = append(requests, float64(c.requests))
		admitted = append(admitted, float64(c.requests-c.refused))
		ratios = append(ratios, c.ratio())
	}
	m.Jain, m.Stdev = simulate.Jain(admitted), simulate.Stdev(requests)
	if threads {
		m.RefusedRatio = simulate.Mean(ratios)
	}
}

package simulate

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// greedy sends at once and, when refused, again as soon as it was told to.
type greedy struct{ giveUp bool }

func (g greedy) Ask(now time.Duration, c *Call) time.Duration { return max(now, c.Due) }
func (g greedy) Sent(time.Duration, *Call)                    {}
func (g greedy) Answered(now time.Duration, c *Call, a Answer) bool {
	c.Due = now + max(a.RetryAfter, ms)
	return a.Status != 200 && !g.giveUp
}

// serial keeps one call in flight; the others are on Hold.
type serial struct {
	busy bool
	log  []string
}

func (s *serial) Ask(now time.Duration, c *Call) time.Duration {
	if s.busy {
		return Hold
	}
	return now
}

func (s *serial) Sent(now time.Duration, c *Call) {
	s.busy = true
	s.log = append(s.log, fmt.Sprintf("%d@%v", c.ID, now))
}

func (s *serial) Answered(now time.Duration, c *Call, a Answer) bool {
	s.busy = false
	return a.Status != 200
}

func newProcess(s Server, p Publisher, st Strategy, n Network, seed uint64) *Process {
	site := &Site{Loop: &Loop{}, Server: s, Publish: p}
	return &Process{Site: site, Strategy: st, Net: n, Rand: NewRand(seed, 1)}
}

// Calls on Hold leave in order, one that is sent again before the rest, and
// newcomers behind them.
func TestHoldIsAQueue(t *testing.T) {
	st := &serial{}
	p := newProcess(must(NewFixedWindow(per(2, 100*ms), 0)), Publisher{}, st, Network{RTT: 30 * ms}, 1)
	for range 4 {
		p.Submit(0, 1, nil)
	}
	p.Site.Loop.At(20*ms, func() { p.Submit(0, 1, nil) })
	if p.Held() != 3 || p.InFlight() != 1 {
		t.Errorf("%d held, %d in flight; want 3 and 1", p.Held(), p.InFlight())
	}
	p.Site.Loop.Run(time.Minute)
	// Two a window: the third is refused at 75 ms, the fifth at 165 and 195 ms.
	want := []string{"1@0s", "2@30ms", "3@60ms", "3@90ms", "4@120ms", "5@150ms", "5@180ms", "5@210ms"}
	if !slices.Equal(st.log, want) {
		t.Errorf("sent %v, want %v", st.log, want)
	}
	if s := p.Stats; s.Calls != 5 || s.Done != 5 || s.Requests != 8 || s.Refused != 3 || s.Waits.Max() != 190*ms {
		t.Errorf("%+v, longest wait %v", s, s.Waits.Max())
	}
}

// Two workers take turns: who hands in his next call as his last one ends gets
// behind the call that waits.
func TestNewcomersQueueBehind(t *testing.T) {
	st := &serial{}
	p := newProcess(must(NewGCRA(1, sec)), Publisher{}, st, Network{RTT: 10 * ms}, 1)
	var workers []int
	p.Observe = func(c *Call, _ Answer) { workers = append(workers, c.Worker) }
	p.Work(2, func(int) (int64, bool) { return 1, true })
	p.Site.Loop.Run(55 * ms)
	if want := []int{0, 1, 0, 1, 0}; !slices.Equal(workers, want) {
		t.Errorf("answers to workers %v, want %v", workers, want)
	}
}

// gate lets the first call go at once and then none until it opens; it first
// gives the head an instant, and changes its mind.
type gate struct {
	serial
	open time.Duration
	mind int
}

func (g *gate) Ask(now time.Duration, c *Call) time.Duration {
	switch {
	case c.ID == 1 && c.Attempts == 0 || now >= g.open:
		return now
	case c.ID == 1 && g.mind == 0:
		g.mind++
		return now + ms
	}
	return Hold
}

// A call that was refused waits in front of those that were not sent yet, also
// when it comes back to the queue from an instant of its own.
func TestRefusedCallsWaitInFront(t *testing.T) {
	for mind := range 2 {
		st := &gate{open: sec, mind: mind}
		limit := must(NewFixedWindow(per(1, 100*ms), 0))
		limit.Arrive(0, 1)
		p := newProcess(limit, Publisher{}, st, Network{RTT: 10 * ms}, 1)
		for range 3 {
			p.Submit(0, 1, nil)
		}
		p.Site.Loop.At(sec, p.Wake)
		p.Site.Loop.Run(1001 * ms)
		if want := []string{"1@0s", "1@1s", "2@1s", "3@1s"}; !slices.Equal(st.log, want) {
			t.Errorf("sent %v, want %v", st.log, want)
		}
	}
}

// afterHead gives the first call an instant; the others follow it.
type afterHead struct{ serial }

func (a *afterHead) Ask(now time.Duration, c *Call) time.Duration {
	switch {
	case c.ID == 1:
		return sec
	case a.busy:
		return now
	}
	return Hold
}

// A call that leaves takes with it those that were held for it.
func TestSendingWakes(t *testing.T) {
	st := &afterHead{}
	p := newProcess(must(NewGCRA(1, sec)), Publisher{}, st, Network{}, 1)
	for range 3 {
		p.Submit(0, 1, nil)
	}
	p.Site.Loop.Step() // the event at 1 s, before any answer
	if want := []string{"1@1s", "2@1s", "3@1s"}; !slices.Equal(st.log, want) {
		t.Errorf("sent %v, want %v", st.log, want)
	}
}

// A call that times out is lost, with an Answer of status 0; what the server
// did with it counts there all the same.
func TestLostCalls(t *testing.T) {
	for _, tt := range []struct {
		name    string
		net     Network
		service time.Duration
		arrived int64
	}{
		{"request lost", Network{RTT: ms, Loss: 1}, 0, 0},
		{"request late", Network{RTT: 5 * sec}, 0, 1},
		{"answer late", Network{RTT: 1500 * ms, Late: 1, LateBy: sec}, 0, 1},
		{"server slow", Network{RTT: ms}, 2 * sec, 1},
	} {
		p := newProcess(must(NewGCRA(ms, sec)), Publisher{}, greedy{giveUp: true}, tt.net, 1)
		p.Timeout = sec
		p.Site.Service = tt.service
		var ended time.Duration
		var last Answer
		p.Submit(3, 1, func(c *Call, a Answer) {
			ended, last = p.Site.Loop.Now(), a
			if c.Worker != 3 || c.Attempts != 1 || c.Wait() != 0 {
				t.Errorf("%s: %+v", tt.name, c)
			}
		})
		p.Site.Loop.Run(time.Minute)
		if ended != sec || last != (Answer{}) || p.Stats.Lost != 1 || p.Stats.Failed != 1 || p.InFlight() != 0 {
			t.Errorf("%s: ended at %v with %+v, %+v", tt.name, ended, last, p.Stats)
		}
		if got := p.Site.Seen.Allowed; got != tt.arrived {
			t.Errorf("%s: %d arrived, want %d", tt.name, got, tt.arrived)
		}
	}
}

// An answer that was lost after the call was served draws on the limit, and the
// call is sent again.
func TestLostAnswersAreRetried(t *testing.T) {
	p := newProcess(must(NewGCRA(ms, sec)), Publisher{}, greedy{}, Network{RTT: ms, Loss: 0.3}, 3)
	n := 0
	p.Work(4, func(int) (int64, bool) { n++; return 1, n <= 500 })
	p.Site.Loop.Run(Horizon)
	s, served := p.Stats, p.Site.Seen.Allowed
	if s.Calls != 500 || s.Done != 500 || s.Lost == 0 || s.Requests != s.Done+s.Lost || served <= 500 || served >= s.Requests {
		t.Errorf("%+v, served %d", s, served)
	}
}

// The first call of each connection shakes hands, later ones do not.
func TestHandshake(t *testing.T) {
	st := &serial{}
	p := newProcess(must(NewGCRA(1, sec)), Publisher{}, st, Network{RTT: 10 * ms, Handshake: 100 * ms}, 1)
	var ends []time.Duration
	for range 3 {
		p.Submit(0, 1, func(*Call, Answer) { ends = append(ends, p.Site.Loop.Now()) })
	}
	p.Site.Loop.Run(sec)
	if want := []time.Duration{110 * ms, 120 * ms, 130 * ms}; !slices.Equal(ends, want) {
		t.Errorf("one connection: answers at %v, want %v", ends, want)
	}
	p = newProcess(must(NewGCRA(1, sec)), Publisher{}, greedy{}, Network{RTT: 10 * ms, Handshake: 100 * ms}, 1)
	p.Work(2, func(int) (int64, bool) { return 1, p.Stats.Calls < 4 })
	p.Site.Loop.Run(sec)
	if p.Stats.Done != 4 || p.Site.Seen.Last != 115*ms {
		t.Errorf("two connections: %d done, last arrival %v; want 4, 115ms", p.Stats.Done, p.Site.Seen.Last)
	}
}

// Jitter makes requests overtake each other.
func TestNetworkReorders(t *testing.T) {
	p := newProcess(must(NewGCRA(1, sec)), Publisher{}, greedy{}, lan, 1)
	var order []int
	p.Feed(Bursts(1, 2*ms, 200*ms))
	for i := range 100 {
		p.Submit(i, 1, func(c *Call, _ Answer) { order = append(order, c.Worker) })
	}
	p.Site.Loop.Run(time.Minute)
	if len(order) != 100 || slices.IsSorted(order) || p.Stats.Done != 200 {
		t.Errorf("%d answers, in order %t, %d done", len(order), slices.IsSorted(order), p.Stats.Done)
	}
}

// A server with a limit on calls in flight hears when they end.
func TestSiteDeparts(t *testing.T) {
	c := must(NewConcurrency(3))
	p := newProcess(c, Publisher{}, greedy{}, Network{RTT: 20 * ms}, 1)
	p.Site.Service = 80 * ms
	most := 0.0
	p.Site.Observe = func(s Step) { most = max(most, 3-s.Left) }
	p.Work(10, func(int) (int64, bool) { return 1, true })
	p.Site.Loop.Run(10 * sec)
	// 3 places of 80 ms: 37.5 a second at most.
	if got := p.Stats.Done; most != 3 || got < 300 || got > 375 {
		t.Errorf("%d done in 10 s, at most %v in flight", got, most)
	}
	if p.Site.Herd.Max() < 10 {
		t.Errorf("herd of %d, want the ten of the start", p.Site.Herd.Max())
	}
}

// The same seed gives the same run, event by event; another one does not.
func TestRunsAreDeterministic(t *testing.T) {
	run := func(seed uint64) (trace []Step) {
		p := newProcess(must(NewTokenBucket(per(10, sec), 5)), Publisher{Retry: RetrySeconds}, greedy{}, lan, seed)
		p.Net.Loss, p.Net.Late, p.Net.LateBy = 0.01, 0.01, sec
		p.Site.Observe = func(s Step) { trace = append(trace, s) }
		p.Work(5, func(int) (int64, bool) { return 1, true })
		p.Site.Loop.Feed(Poisson(NewRand(seed, 9), 3, time.Minute), func(a Arrival) { p.Site.Serve(a.Cost) })
		p.Site.Loop.Run(time.Minute)
		return trace
	}
	a, b, c := run(1), run(1), run(2)
	if !slices.Equal(a, b) || len(a) < 500 {
		t.Errorf("two runs of one seed differ (%d and %d steps)", len(a), len(b))
	}
	if slices.Equal(a, c) {
		t.Error("another seed gave the same run")
	}
}

// A strategy may let calls go from an event of its own.
func TestWake(t *testing.T) {
	st := &serial{busy: true}
	p := newProcess(must(NewGCRA(1, sec)), Publisher{}, st, Network{}, 1)
	p.Submit(0, 1, nil)
	p.Site.Loop.At(sec, func() { st.busy = false; p.Wake() })
	p.Site.Loop.Run(time.Minute)
	if want := []string{"1@1s"}; !slices.Equal(st.log, want) {
		t.Errorf("sent %v, want %v", st.log, want)
	}
}

// dropper refuses every second call by itself, one of them once it was held.
type dropper struct{ serial }

func (d *dropper) Ask(now time.Duration, c *Call) time.Duration {
	if at := d.serial.Ask(now, c); at == Hold || c.ID%2 == 1 {
		return at
	}
	return Drop
}

// A dropped call ends unsent, those behind it go on, and a worker whose call
// was dropped rests before the next.
func TestDrop(t *testing.T) {
	st := &dropper{}
	p := newProcess(must(NewGCRA(1, sec)), Publisher{}, st, Network{RTT: 10 * ms}, 1)
	for range 5 {
		p.Submit(0, 1, nil)
	}
	p.Site.Loop.Run(sec)
	if want := []string{"1@0s", "3@10ms", "5@20ms"}; !slices.Equal(st.log, want) {
		t.Errorf("sent %v, want %v", st.log, want)
	}
	if s := p.Stats; s.Done != 3 || s.Dropped != 2 || s.Failed != 0 || s.Waits.Len() != 3 {
		t.Errorf("%+v", s)
	}
	st.log = nil
	p.Work(1, func(int) (int64, bool) { return 1, p.Stats.Calls < 8 })
	p.Site.Loop.Run(2 * sec)
	if want := []string{"7@1.1s"}; !slices.Equal(st.log, want) || p.Stats.Dropped != 4 {
		t.Errorf("sent %v, want %v; %d dropped", st.log, want, p.Stats.Dropped)
	}
}

// A running process allocates nothing for a call beyond its record of waits.
func TestProcessAllocations(t *testing.T) {
	p := newProcess(must(NewGCRA(ms, 10*ms)), Publisher{Headers: HeadersIETF, Retry: RetryExact}, greedy{}, lan, 1)
	p.Work(20, func(int) (int64, bool) { return 1, true })
	p.Site.Loop.Run(10 * sec)
	until := p.Site.Loop.Now()
	allocs := testing.AllocsPerRun(10, func() {
		until += sec
		p.Site.Loop.Run(until)
	})
	if allocs > 2 {
		t.Errorf("%v allocations for some 300 calls", allocs)
	}
}

func BenchmarkProcess(b *testing.B) {
	p := newProcess(must(NewGCRA(ms, 10*ms)), Publisher{Headers: HeadersIETF, Retry: RetryExact}, greedy{}, lan, 1)
	p.Work(200, func(int) (int64, bool) { return 1, true })
	b.ReportAllocs()
	for b.Loop() {
		p.Site.Loop.Step()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

package simulate

import (
	"math/rand/v2"
	"time"
)

// Stats counts what a Process did.
type Stats struct {
	Calls    int64 // submitted
	Done     int64 // of them, ended with a 200
	Failed   int64 // of them, ended otherwise, after the last answer
	Dropped  int64 // of them, ended by Drop
	Requests int64 // sent, every attempt counts
	Refused  int64 // of them, answered other than with a 200
	Lost     int64 // of them, not answered in time
	Waits    Waits // of the calls done or failed
}

// A Process is one client process: calls that share a Strategy and a way to a
// [Site]. Set the fields before the first Submit; Site and Strategy must be set,
// and Rand if Net has anything random.
type Process struct {
	Site     *Site
	Strategy Strategy
	Net      Network
	Rand     *rand.Rand
	Timeout  time.Duration // until a call counts as lost; zero or less means 30 s

	// Observe, if set, sees every answer, before the Strategy does.
	Observe func(*Call, Answer)

	Stats Stats

	again, held []*Call // together the queue of calls on Hold
	waking      bool

	inFlight, conns int
	freeCalls       []*Call
	freeFlights     []*flight
}

// Submit hands in a call now. The process calls done, if that is not nil, when
// the call has ended, with its last answer.
func (p *Process) Submit(worker int, cost int64, done func(*Call, Answer)) {
	c := p.newCall()
	p.Stats.Calls++
	c.ID, c.Cost, c.Worker, c.done = p.Stats.Calls, max(cost, 1), worker, done
	c.Made = p.Site.Loop.Now()
	p.next(c, &p.held)
}

// Work starts workers that each hand in one call after the other, without a
// pause. Before each, next says what it costs and whether there is one.
func (p *Process) Work(workers int, next func(worker int) (cost int64, ok bool)) {
	var step func(*Call, Answer)
	start := func(worker int) {
		if cost, ok := next(worker); ok {
			p.Submit(worker, cost, step)
		}
	}
	step = func(c *Call, _ Answer) {
		worker := c.Worker
		if c.dropped {
			p.Site.Loop.After(DropPause, func() { start(worker) })
			return
		}
		start(worker)
	}
	for w := range workers {
		start(w)
	}
}

// Feed hands in the calls of a source, as worker 0.
func (p *Process) Feed(source Source) {
	p.Site.Loop.Feed(source, func(a Arrival) { p.Submit(0, a.Cost, nil) })
}

// Held returns how many calls are on [Hold].
func (p *Process) Held() int { return len(p.again) + len(p.held) }

// InFlight returns how many calls are on their way.
func (p *Process) InFlight() int { return p.inFlight }

// Wake asks again about the calls on [Hold], until one stays so. The process
// does it whenever it has sent or heard something; a Strategy that lets calls
// go at other times, from an event of its own, has to say so.
func (p *Process) Wake() {
	if p.waking {
		return // the loop below goes on to see what has changed
	}
	p.waking = true
	for p.Held() > 0 {
		queue := &p.held
		if len(p.again) > 0 {
			queue = &p.again
		}
		c := (*queue)[0]
		at := p.when(c)
		if at == Hold {
			break
		}
		*queue = (*queue)[1:]
		p.leave(c, at)
	}
	p.waking = false
}

// next puts a call where it belongs: behind the queue, or on its way.
func (p *Process) next(c *Call, queue *[]*Call) {
	if len(p.again) > 0 || queue == &p.held && len(p.held) > 0 {
		*queue = append(*queue, c)
		return
	}
	p.askInto(c, queue)
}

func (p *Process) askInto(c *Call, queue *[]*Call) {
	if at := p.when(c); at == Hold {
		*queue = append(*queue, c)
	} else {
		p.leave(c, at)
	}
}

func (p *Process) when(c *Call) time.Duration {
	at := p.Strategy.Ask(p.Site.Loop.Now(), c)
	c.Asked++
	return at
}

func (p *Process) leave(c *Call, at time.Duration) {
	now := p.Site.Loop.Now()
	switch {
	case at == Drop:
		p.Site.Loop.At(now, func() { p.drop(c) })
	case at > now:
		p.Site.Loop.At(at, c.ask)
	default:
		p.send(c)
	}
}

func (p *Process) drop(c *Call) {
	c.dropped = true
	p.Stats.Dropped++
	p.release(c, Answer{})
}

// end hears the answer to a call.
func (p *Process) end(c *Call, a Answer) {
	p.inFlight--
	switch a.Status {
	case 0:
		p.Stats.Lost++
	case 200:
	default:
		p.Stats.Refused++
	}
	if p.Observe != nil {
		p.Observe(c, a)
	}
	if p.Strategy.Answered(p.Site.Loop.Now(), c, a) {
		p.next(c, &p.again)
	} else {
		p.finish(c, a)
	}
	p.Wake()
}

func (p *Process) finish(c *Call, a Answer) {
	if a.Status == 200 {
		p.Stats.Done++
	} else {
		p.Stats.Failed++
	}
	p.Stats.Waits.Add(c.Wait())
	p.release(c, a)
}

// release ends a call and keeps it for another.
func (p *Process) release(c *Call, a Answer) {
	if c.done != nil {
		c.done(c, a)
	}
	p.freeCalls = append(p.freeCalls, c)
}

func (p *Process) newCall() *Call {
	n := len(p.freeCalls)
	if n == 0 {
		c := &Call{}
		c.ask = func() { p.askInto(c, p.queueOf(c)) }
		c.lost = func() { p.end(c, Answer{}) }
		return c
	}
	c := p.freeCalls[n-1]
	p.freeCalls = p.freeCalls[:n-1]
	*c = Call{ask: c.ask, lost: c.lost}
	return c
}

// queueOf returns where a call waits: one that was sent before goes ahead.
func (p *Process) queueOf(c *Call) *[]*Call {
	if c.Attempts > 0 {
		return &p.again
	}
	return &p.held
}

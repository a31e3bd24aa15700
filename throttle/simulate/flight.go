package simulate

import "time"

// A flight is one attempt of a call. It may outlive the attempt: a request can
// reach the server after its client has stopped waiting.
type flight struct {
	p        *Process
	call     *Call
	cost     int64
	trip     Trip
	deadline time.Duration
	orphan   bool // nobody waits for the answer
	answer   Answer

	arrive, deliver func() // bound once
}

func (p *Process) send(c *Call) {
	now := p.Site.Loop.Now()
	c.Attempts++
	c.Asked = 0
	c.SentAt = now
	p.Stats.Requests++
	p.inFlight++
	first := p.inFlight > p.conns // one connection a call, kept for the next
	p.conns = max(p.conns, p.inFlight)
	p.launch(c, p.Net.Trip(p.Rand, first))
	p.Strategy.Sent(now, c)
	p.Wake()
}

func (p *Process) launch(c *Call, t Trip) {
	loop := p.Site.Loop
	deadline := addSat(loop.Now(), p.timeout())
	at := addSat(loop.Now(), t.Up)
	orphan := at >= deadline
	if t.RequestLost || orphan {
		loop.At(deadline, c.lost)
	}
	if t.RequestLost {
		return
	}
	f := p.newFlight()
	f.call, f.cost, f.trip, f.deadline, f.orphan = c, c.Cost, t, deadline, orphan
	loop.At(at, f.arrive)
}

func (p *Process) timeout() time.Duration {
	if p.Timeout <= 0 {
		return 30 * time.Second
	}
	return p.Timeout
}

// atServer is the event of the request's arrival.
func (f *flight) atServer() {
	site := f.p.Site
	v, answer := site.Serve(f.cost)
	back := addSat(site.Loop.Now(), f.trip.Down)
	if v.Admitted {
		back = addSat(back, site.Service)
	}
	switch {
	case f.orphan:
		f.p.freeFlights = append(f.p.freeFlights, f)
	case f.trip.ReplyLost || back > f.deadline:
		site.Loop.At(f.deadline, f.call.lost)
		f.p.freeFlights = append(f.p.freeFlights, f)
	default:
		f.answer = answer
		site.Loop.At(back, f.deliver)
	}
}

// atClient is the event of the answer's arrival.
func (f *flight) atClient() {
	f.p.freeFlights = append(f.p.freeFlights, f)
	f.p.end(f.call, f.answer)
}

func (p *Process) newFlight() *flight {
	n := len(p.freeFlights)
	if n == 0 {
		f := &flight{p: p}
		f.arrive, f.deliver = f.atServer, f.atClient
		return f
	}
	f := p.freeFlights[n-1]
	p.freeFlights = p.freeFlights[:n-1]
	return f
}

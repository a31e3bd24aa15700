package simulate

import "time"

// A Peak keeps the most units that came within any Window, which is half-open.
// With a Window of 100 ms, fed with arrivals, it measures a herd. It remembers
// what came in the last Window.
type Peak struct {
	Window time.Duration // zero or less means one second

	ring       []Arrival
	head, used int
	sum, most  int64
}

// Add counts units at an instant, which must not lie before the last one.
func (p *Peak) Add(at time.Duration, units int64) {
	window := p.Window
	if window <= 0 {
		window = time.Second
	}
	for p.used > 0 && p.ring[p.head].At <= at-window {
		p.sum -= p.ring[p.head].Cost
		p.head = (p.head + 1) & (len(p.ring) - 1)
		p.used--
	}
	p.push(Arrival{At: at, Cost: min(units, maxUnits)})
	p.most = max(p.most, p.sum)
}

// push merges what comes at one instant, so that a herd needs one entry.
func (p *Peak) push(a Arrival) {
	p.sum = addUnits(p.sum, a.Cost)
	if p.used > 0 {
		if last := &p.ring[(p.head+p.used-1)&(len(p.ring)-1)]; last.At == a.At {
			last.Cost = addUnits(last.Cost, a.Cost)
			return
		}
	}
	if p.used == len(p.ring) {
		p.grow()
	}
	p.ring[(p.head+p.used)&(len(p.ring)-1)] = a
	p.used++
}

// grow doubles the ring, whose length is a power of two.
func (p *Peak) grow() {
	ring := make([]Arrival, max(16, 2*len(p.ring)))
	n := copy(ring, p.ring[p.head:])
	copy(ring[n:], p.ring[:p.head])
	p.ring, p.head = ring, 0
}

// Max returns the most units there were within a Window.
func (p *Peak) Max() int64 { return p.most }

package simulate

import (
	"iter"
	"math/rand/v2"
	"time"
)

// A Source returns arrivals in order of time, one at each call, and false once
// there are no more. It can be read once.
type Source func() (Arrival, bool)

// All returns the rest of the source, for [Replay] and [Run].
func (s Source) All() iter.Seq[Arrival] {
	return func(yield func(Arrival) bool) {
		for a, ok := s(); ok && yield(a); a, ok = s() {
		}
	}
}

// List returns the arrivals of a list, which must be in order.
func List(arrivals []Arrival) Source {
	return func() (Arrival, bool) {
		if len(arrivals) == 0 {
			return Arrival{}, false
		}
		a := arrivals[0]
		arrivals = arrivals[1:]
		return a, true
	}
}

// Batch returns n arrivals at one instant, each costing 1.
func Batch(at time.Duration, n int) Source {
	return func() (Arrival, bool) {
		n--
		return Arrival{At: at, Cost: 1}, n >= 0
	}
}

// Bursts returns n arrivals every so often from 0 on, before until, each
// costing 1. Every of zero or less means one burst.
func Bursts(n int, every, until time.Duration) Source {
	var at time.Duration
	left := n
	return func() (Arrival, bool) {
		if left == 0 && every > 0 {
			at, left = addSat(at, every), n
		}
		if left <= 0 || at >= until {
			return Arrival{}, false
		}
		left--
		return Arrival{At: at, Cost: 1}, true
	}
}

// Poisson returns arrivals that know nothing of each other, perSecond of them
// in the mean, after 0 and before until, each costing 1. A rate that is not a
// positive number means none. Two never come within the same nanosecond.
func Poisson(r *rand.Rand, perSecond float64, until time.Duration) Source {
	var at time.Duration
	return func() (Arrival, bool) {
		if !(perSecond > 0) || at >= until {
			return Arrival{}, false
		}
		at = addSat(at, max(span(r.ExpFloat64()*1e9/perSecond), 1))
		return Arrival{At: at, Cost: 1}, at < until
	}
}

// Merge returns the arrivals of several sources in order of time; at the same
// instant, those of the source named first come first.
func Merge(sources ...Source) Source {
	type head struct {
		next Source
		Arrival
	}
	var heads []head
	for _, s := range sources {
		if a, ok := s(); ok {
			heads = append(heads, head{s, a})
		}
	}
	return func() (Arrival, bool) {
		if len(heads) == 0 {
			return Arrival{}, false
		}
		first := 0
		for i := range heads {
			if heads[i].At < heads[first].At {
				first = i
			}
		}
		a := heads[first].Arrival
		var ok bool
		if heads[first].Arrival, ok = heads[first].next(); !ok {
			heads = append(heads[:first], heads[first+1:]...)
		}
		return a, true
	}
}

package main

import (
	"math"
	"time"

	"github.com/headway-go/headway/throttle"
)

// A server is one that keeps to what it has published. Its answers say nothing
// new until a reset has passed: then the whole limit is there again.
type server struct {
	counters []counter
	// blind is set once a window has begun of which nobody knows how long it is.
	blind bool
}

// A counter is what remains until a reset.
type counter struct {
	throttle.Policy
	reset time.Time
	whole bool // its resets are in whole seconds, cut off
}

// unknownWindow is the length of a window that was not published: none is
// longer. So half of the limit may go at once, and the rest not before somebody
// says more; a gap of more than blindGap tells.
const (
	unknownWindow = 366 * 24 * time.Hour
	blindGap      = 24 * time.Hour
)

// Why the time of a call is not known.
const (
	noWindow = "after the reset a new window begins, and its length is not published (--window sets it)"
	noLimit  = "after the reset a new window begins, and how many calls it allows is not known"
)

func newServer(policies []throttle.Policy, start time.Time) server {
	var s server
	for _, p := range policies {
		bucket := p.Limit > 0 && p.Window > 0 && p.Burst >= 1 // refills all the time
		if !bucket && p.Remaining >= 0 && p.Reset >= 0 {
			s.counters = append(s.counters, counter{p, start.Add(p.Reset), p.Reset%time.Second == 0})
		}
	}
	return s
}

// lost reports whether a call at an instant gets an answer of which nothing is
// known.
func (s *server) lost(at time.Time) bool {
	for _, c := range s.counters {
		if c.over(at) && c.Limit == 0 {
			return true
		}
	}
	return false
}

// over reports whether the window of the counter is over.
func (c *counter) over(at time.Time) bool { return !at.Before(c.reset) }

// answer returns what the answer to a call at an instant publishes anew.
func (s *server) answer(at time.Time) []throttle.Policy {
	var news []throttle.Policy
	for i := range s.counters {
		c := &s.counters[i]
		if !c.over(at) {
			continue
		}
		window := c.Window
		if window == 0 {
			window, s.blind = unknownWindow, true
		}
		late := at.Sub(c.reset) % window
		c.reset = at.Add(window - late)
		c.Remaining = math.Max(0, c.Limit-1)
		if c.Policy.Reset = c.reset.Sub(at); c.whole {
			c.Policy.Reset = c.Policy.Reset.Truncate(time.Second)
		}
		news = append(news, c.Policy)
	}
	return news
}

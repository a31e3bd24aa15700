package page

import (
	"math"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// maxColumns is how many columns shares have at most.
const maxColumns = 512

// shares count what was allowed and refused over time, in columns of the same
// width. They need not know how long a run will be: once they are full, every two
// columns become one.
type shares struct {
	From   sim.Seconds `json:"from"`
	Width  sim.Seconds `json:"width"`
	Models []share     `json:"models"`

	to sim.Seconds
}

// A share is what a model allowed and refused, in each column.
type share struct {
	Allowed []int `json:"allowed"`
	Refused []int `json:"refused"`
}

// newShares counts between two instants, or if the second is not later, from the
// first request to the last.
func newShares(models int, from, to time.Duration) *shares {
	s := &shares{From: sim.None, Width: 1, Models: make([]share, models), to: math.MaxInt64}
	if to > from {
		s.From, s.to = sim.Seconds(from), sim.Seconds(to)
		s.Width = (s.to-s.From)/maxColumns + 1
	}
	return s
}

// add counts a step.
func (s *shares) add(step sim.Step) {
	if s.From == sim.None {
		s.From = step.At
	}
	if step.At < s.From || step.At > s.to {
		return
	}
	for (step.At-s.From)/s.Width >= maxColumns {
		s.halve()
	}
	column := int((step.At - s.From) / s.Width)
	for i, o := range step.Outcomes {
		m := &s.Models[i]
		for len(m.Allowed) <= column {
			m.Allowed, m.Refused = append(m.Allowed, 0), append(m.Refused, 0)
		}
		if o.Allowed {
			m.Allowed[column]++
		} else {
			m.Refused[column]++
		}
	}
}

// halve makes one column of every two.
func (s *shares) halve() {
	s.Width *= 2
	for i := range s.Models {
		m := &s.Models[i]
		m.Allowed, m.Refused = inPairs(m.Allowed), inPairs(m.Refused)
	}
}

func inPairs(counts []int) []int {
	for i, n := range counts {
		if i%2 == 0 {
			counts[i/2] = n
		} else {
			counts[i/2] += n
		}
	}
	return counts[:(len(counts)+1)/2]
}

package main

import (
	"fmt"
	"strings"
)

// An aim is what ours are to achieve in a row. A field that is zero asks for
// nothing, but for allocs.
type aim struct {
	times    float64 // at most so many times the floor
	plus     float64 // at most so much above the floor, in the unit of the row
	most     float64 // at most so much
	notEarly bool    // not below zero
	peers    bool    // less than every peer
	peak     float64 // at most so many bytes of heap above the floor
	allocs   float64 // at most so many allocations beyond those of the floor; negative means any number
}

const anyAllocs = -1

// A goal is one thing that an aim asks for, and by how much one has come near.
type goal struct {
	text string
	met  bool
	got  string
}

// goals holds the figures of one of ours against the aim.
func (a aim) goals(unit string, f, base figures) (goals []goal) {
	add := func(asked bool, text string, met bool, got string) {
		if asked {
			goals = append(goals, goal{text, met, got})
		}
	}
	add(a.times > 0, fmt.Sprintf("at most %g × the floor", a.times), f.ToFloor <= a.times, fmt.Sprintf("%.3f ×", f.ToFloor))
	add(a.plus > 0, fmt.Sprintf("at most %g %s above the floor", a.plus, unit), f.OverFloor <= a.plus, figure(f.OverFloor)+" above")
	add(a.most > 0, fmt.Sprintf("at most %g %s", a.most, unit), f.Median <= a.most, figure(f.Median))
	add(a.notEarly, "not too early", f.Median >= 0, figure(f.Median))
	add(a.peers, "less than every peer", f.ToPeer < 1, fmt.Sprintf("%.3f × the best", f.ToPeer))
	more := float64(f.Peak - base.Peak)
	add(a.peak > 0, fmt.Sprintf("at most %s of heap above the floor", bytesText(a.peak)), more <= a.peak, bytesText(more))
	beyond := float64(f.Allocs - base.Allocs)
	add(a.allocs >= 0, allocsText(a.allocs), beyond < a.allocs+0.5, figure(beyond)+" allocations")
	return goals
}

func allocsText(n float64) string {
	if n == 0 {
		return "no allocation beyond the floor's"
	}
	return fmt.Sprintf("at most %g allocations beyond the floor's", n)
}

// verdict is the aim of a row in a line, and what came of it.
func (r *result) verdict() (text string, met bool) {
	var asked, missed []string
	for _, g := range r.Goals {
		if len(asked) == 0 || g.Contender == r.Goals[0].Contender {
			asked = append(asked, g.Text)
		}
		if !g.Met {
			missed = append(missed, fmt.Sprintf("%s has %s", g.Contender, g.Got))
		}
	}
	if len(missed) > 0 {
		return strings.Join(asked, ", ") + ": missed, " + strings.Join(missed, ", "), false
	}
	return strings.Join(asked, ", ") + ": met", true
}

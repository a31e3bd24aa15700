package page

import (
	"slices"
	"testing"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

func step(at time.Duration, allowed ...bool) sim.Step {
	s := sim.Step{At: sim.Seconds(at)}
	for _, a := range allowed {
		s.Outcomes = append(s.Outcomes, sim.Outcome{Allowed: a})
	}
	return s
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// Whatever the times, nothing is lost, and there are not many columns.
func TestShares(t *testing.T) {
	for name, at := range map[string]func(i int) time.Duration{
		"even":     func(i int) time.Duration { return time.Hour + time.Duration(i)*time.Millisecond },
		"at once":  func(int) time.Duration { return 5 },
		"doubling": func(i int) time.Duration { return 1 << (i / 50) },
	} {
		s := newShares(2, 0, 0)
		for i := range 3000 {
			s.add(step(at(i), i%3 == 0, true))
		}
		first, second := s.Models[0], s.Models[1]
		if sum(first.Allowed) != 1000 || sum(first.Refused) != 2000 || sum(second.Allowed) != 3000 || sum(second.Refused) != 0 {
			t.Errorf("%s: %d and %d, then %d and %d", name, sum(first.Allowed), sum(first.Refused), sum(second.Allowed), sum(second.Refused))
		}
		if n := len(first.Allowed); n > maxColumns || n != len(first.Refused) || time.Duration(s.From) != at(0) || s.From+sim.Seconds(n)*s.Width <= sim.Seconds(at(2999)) {
			t.Errorf("%s: %d columns of %v from %v", name, n, s.Width, s.From)
		}
	}
}

// Columns that are put together keep their places.
func TestSharesInTime(t *testing.T) {
	s := newShares(1, 0, 0)
	for i := range 4 * maxColumns {
		s.add(step(time.Duration(i), i < 3*maxColumns))
	}
	if m := s.Models[0]; s.Width != 4 || !slices.Equal(m.Allowed[:3], []int{4, 4, 4}) || m.Allowed[3*maxColumns/4] != 0 || m.Refused[3*maxColumns/4] != 4 {
		t.Errorf("columns of %d: %v, %v", s.Width, m.Allowed, m.Refused)
	}
}

func TestSharesOfAPart(t *testing.T) {
	s := newShares(1, 10*time.Second, 20*time.Second)
	for i := range 30 {
		s.add(step(time.Duration(i)*time.Second, i%2 == 0))
	}
	if m := s.Models[0]; sum(m.Allowed) != 6 || sum(m.Refused) != 5 || m.Allowed[0] != 1 || len(m.Allowed) > maxColumns {
		t.Errorf("from 10 to 20 s: %d allowed, %d refused in %d columns", sum(m.Allowed), sum(m.Refused), len(m.Allowed))
	}
}

package simulate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Events run in order of time, those of one instant in order of scheduling,
// also those that events schedule; the same as sorting them.
func TestLoopOrder(t *testing.T) {
	type mark struct {
		at time.Duration
		id int
	}
	var l Loop
	var ran, want []mark
	r := NewRand(12, 1)
	id := 0
	var schedule func(at time.Duration, more int)
	schedule = func(at time.Duration, more int) {
		id++
		m := mark{max(at, l.Now()), id}
		want = append(want, m)
		l.At(at, func() {
			if l.Now() != m.at {
				t.Errorf("event for %v runs at %v", m.at, l.Now())
			}
			ran = append(ran, m)
			for range more {
				schedule(l.Now()+time.Duration(r.Int64N(20)-5), more-1)
			}
		})
	}
	for range 300 {
		schedule(time.Duration(r.Int64N(100)), 3)
	}
	n := l.Run(Horizon)
	// A later id is scheduled later, so sorting by (at, id) is the order asked
	// for; an event that schedules into the past has been moved to its now.
	slices.SortFunc(want, func(a, b mark) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return a.id - b.id
	})
	if !slices.Equal(ran, want) || n != len(want) || n != 300*16 {
		t.Errorf("%d events ran, %d were scheduled; in order: %t", n, len(want), slices.Equal(ran, want))
	}
}

// Run stops after its instant and stands there.
func TestLoopRun(t *testing.T) {
	var l Loop
	var ran []time.Duration
	for _, at := range []time.Duration{3 * sec, sec, 2 * sec, Horizon + 1} {
		l.At(at, func() { ran = append(ran, l.Now()) })
	}
	if n := l.Run(2 * sec); n != 2 || l.Now() != 2*sec || l.Pending() != 1 {
		t.Errorf("ran %d, stands at %v, %d left", n, l.Now(), l.Pending())
	}
	l.Run(sec)
	if l.Now() != 2*sec {
		t.Errorf("went back to %v", l.Now())
	}
	l.After(-5, func() { ran = append(ran, l.Now()) })
	if n := l.Run(Never); n != 2 || l.Now() != 3*sec || l.Step() {
		t.Errorf("ran %d, stands at %v", n, l.Now())
	}
	if want := []time.Duration{sec, 2 * sec, 2 * sec, 3 * sec}; !slices.Equal(ran, want) {
		t.Errorf("ran at %v, want %v", ran, want)
	}
}

// A scheduled function costs no allocation but its own closure's.
func TestLoopAllocations(t *testing.T) {
	var l Loop
	fn := func() {}
	allocs := testing.AllocsPerRun(100, func() {
		for i := range 64 {
			l.After(time.Duration(i*7%64), fn)
		}
		l.Run(Horizon)
	})
	if allocs != 0 {
		t.Errorf("%v allocations for 64 events", allocs)
	}
}

// A steady number of events, each of which schedules the next.
func BenchmarkLoop(b *testing.B) {
	for _, pending := range []struct {
		name string
		n    int
	}{{"10", 10}, {"1000", 1000}, {"100000", 100_000}} {
		b.Run(pending.name, func(b *testing.B) {
			var l Loop
			r := rand.New(rand.NewPCG(1, 1))
			var delays [1024]time.Duration
			for i := range delays {
				delays[i] = time.Duration(r.Int64N(int64(sec)))
			}
			i := 0
			var fn func()
			fn = func() {
				i++
				l.After(delays[i&1023], fn)
			}
			for range pending.n {
				fn()
			}
			b.ReportAllocs()
			for b.Loop() {
				l.Step()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}

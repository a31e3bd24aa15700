package simulate

import "time"

// A Loop runs functions at instants of virtual time, in order of their instants
// and, at the same instant, in the order in which they were scheduled. The zero
// Loop stands at 0 and has nothing to do.
type Loop struct {
	now  time.Duration
	seq  uint64
	heap []event // 4-ary: flatter than a binary one, and its siblings share cache lines
}

type event struct {
	at  time.Duration
	seq uint64
	fn  func()
}

func (e *event) before(f *event) bool {
	return e.at < f.at || e.at == f.at && e.seq < f.seq
}

// Now returns the instant at which the Loop stands.
func (l *Loop) Now() time.Duration { return l.now }

// Pending returns how many functions are scheduled.
func (l *Loop) Pending() int { return len(l.heap) }

// At schedules fn. An instant that has passed means now: fn then runs after
// what is scheduled for now already. An instant after [Horizon] does not come.
//
// There is no way to take back: a function that is no longer wanted finds that
// out when it runs.
func (l *Loop) At(at time.Duration, fn func()) {
	if at > Horizon {
		return
	}
	l.seq++
	l.heap = append(l.heap, event{})
	l.up(len(l.heap)-1, event{max(at, l.now), l.seq, fn})
}

// After schedules fn for a span from now.
func (l *Loop) After(d time.Duration, fn func()) { l.At(addSat(l.now, max(d, 0)), fn) }

// Run runs what is scheduled up to an instant, inclusive, and what that
// schedules in turn. The Loop then stands at until, or at its last event if
// until is past [Horizon]. It returns how many functions it ran.
func (l *Loop) Run(until time.Duration) int {
	n := 0
	for len(l.heap) > 0 && l.heap[0].at <= until {
		l.Step()
		n++
	}
	if until <= Horizon {
		l.now = max(l.now, until)
	}
	return n
}

// Step runs the next function and reports whether there was one.
func (l *Loop) Step() bool {
	if len(l.heap) == 0 {
		return false
	}
	next := l.heap[0]
	last := len(l.heap) - 1
	moved := l.heap[last]
	l.heap[last] = event{} // let go of fn
	l.heap = l.heap[:last]
	if last > 0 {
		l.down(moved)
	}
	l.now = next.at
	next.fn()
	return true
}

// up puts e where the hole at i rises to.
func (l *Loop) up(i int, e event) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&l.heap[parent]) {
			break
		}
		l.heap[i] = l.heap[parent]
		i = parent
	}
	l.heap[i] = e
}

// down puts e where the hole at the top sinks to.
func (l *Loop) down(e event) {
	i := 0
	for {
		first := 4*i + 1
		if first >= len(l.heap) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(l.heap)); c++ {
			if l.heap[c].before(&l.heap[least]) {
				least = c
			}
		}
		if !l.heap[least].before(&e) {
			break
		}
		l.heap[i] = l.heap[least]
		i = least
	}
	l.heap[i] = e
}

// Feed calls fn with every arrival of the source when its time has come. It
// schedules one at a time, so the source may be long.
func (l *Loop) Feed(source Source, fn func(Arrival)) {
	next, ok := source()
	if !ok {
		return
	}
	var step func()
	step = func() {
		a := next
		if next, ok = source(); ok {
			l.At(next.At, step)
		}
		fn(a)
	}
	l.At(next.At, step)
}

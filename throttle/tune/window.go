package tune

import (
	"cmp"
	"slices"
)

// A call is what is kept of one until it is measured.
type call struct {
	at, cost int64
	client   *client
	class    *class
}

// A window holds calls back until there are too many, so that it can put those
// in order that come late. Logs are written at the end of a call, and so their
// order is not that of the calls.
type window struct {
	size     int // the most that is held
	calls    []call
	unsorted bool
	released int64 // the instant of the last call that was let go
	late     int64 // calls that came when later ones had gone
}

func (w *window) add(c call, release func(call)) {
	if c.at < w.released {
		w.late++
		return
	}
	if n := len(w.calls); n > 0 && c.at < w.calls[n-1].at {
		w.unsorted = true
	}
	w.calls = append(w.calls, c)
	if len(w.calls) >= w.size {
		w.release((len(w.calls)+1)/2, release)
	}
}

// release lets go the n earliest calls.
func (w *window) release(n int, release func(call)) {
	if w.unsorted {
		slices.SortStableFunc(w.calls, func(a, b call) int { return cmp.Compare(a.at, b.at) })
		w.unsorted = false
	}
	for _, c := range w.calls[:n] {
		release(c)
		w.released = c.at
	}
	w.calls = append(w.calls[:0], w.calls[n:]...)
}

// flush lets go all.
func (w *window) flush(release func(call)) { w.release(len(w.calls), release) }

package headers

import (
	"net/http"
	"time"
)

// Parse reads what the fields of a response say about its limits, as of now, the
// time at which the response came.
//
// It is a pure function: it reads no clock, keeps nothing of h but texts, never
// panics and never blocks, whatever the server sent. A field that cannot be
// understood is left out, the others count. Fields of a response from a cache
// are ignored, except Retry-After.
func Parse(h http.Header, now time.Time) Result {
	if len(h) == 0 {
		return Result{}
	}
	return parse(h, now, 0, nil)
}

// parse collects the fields and reads them only if there are any: most responses
// have none. notes is nil, except for Explain.
func parse(h http.Header, now time.Time, resetUnit time.Duration, notes *notes) Result {
	var buf [8]field
	fields := buf[:0]
	var from origin
	for name, lines := range h {
		c := classOf(name)
		if c.kind == ordinary || len(lines) == 0 {
			continue
		}
		switch c.kind {
		case context:
			from.take(c, lines[0])
		case lookalike:
			notes.ignore(&field{name, lines, c})
			if c.reach {
				from.takeReach(lines[0])
			}
		default:
			fields = append(fields, field{name, lines, c})
			sift(fields)
		}
	}
	notes.setCached(from.cached)
	if len(fields) == 0 {
		return Result{Global: from.global}
	}
	r := reading{clock: clock{now: now, dateText: from.date}, resetUnit: resetUnit, notes: notes}
	result := r.read(fields, from.cached)
	result.Global = from.global
	return result
}

// Any reports whether h holds a field that [Parse] would read. It is cheaper
// than Parse and allocates nothing; most responses hold none.
func Any(h http.Header) bool {
	if len(h) == 0 {
		return false
	}
	for name := range h {
		if classOf(name).kind >= retry {
			return true
		}
	}
	return false
}

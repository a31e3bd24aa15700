package headers

import (
	"strings"
	"time"
)

// maxFields is how many fields of limits a response may have. One with more is
// hostile, and all its counters are ignored.
const maxFields = 96

// A reading is the work of one call: fields in, policies out.
type reading struct {
	clock
	resetUnit time.Duration // of Overrides
	groups
	names     []title
	quotas    []quota
	out       []Policy
	notes     *notes // of Explain, else nil
	retry     Opt[time.Duration]
	retryRank int8 // of the field that retry is from
}

// A title is what a resource, bucket or name field said.
type title struct {
	*class
	text string
}

// read reads the fields of a response.
func (r *reading) read(fields []field, cached bool) Result {
	for i := range fields {
		if f := &fields[i]; f.kind == retry {
			r.readRetry(f)
		}
	}
	switch {
	case cached:
		r.refuse(fields, cachedReason)
	case len(fields) > maxFields:
		r.refuse(fields, "the response has too many fields of this sort")
	default:
		r.readAll(fields)
		r.join(fields)
	}
	return Result{Policies: r.out, RetryAfter: r.retry}
}

// readAll reads each field by itself, but for those of the IETF.
func (r *reading) readAll(fields []field) {
	for i := range fields {
		switch f := &fields[i]; f.kind {
		case naming:
			r.readName(f)
		case dialect:
			r.readDialect(f)
		case counter, bareField, listing:
			r.readCounter(f)
		}
	}
}

// refuse notes why no counter was read.
func (r *reading) refuse(fields []field, reason string) {
	for i := range fields {
		if f := &fields[i]; f.kind != retry {
			r.noteLines(f, "", reason, false)
		}
	}
}

// readName keeps the name that a server gives to its limit.
func (r *reading) readName(f *field) {
	for _, line := range f.lines {
		if text := trim(line); text != "" && len(text) <= 128 && printable(text) {
			r.names = append(r.names, title{f.class, text})
			noted := r.noteLines(f, "name", "", true)
			for i := range noted {
				noted[i].Read = text
			}
			return
		}
	}
	r.noteLines(f, "name", "the value is no name", false)
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c < ' ' || c > '~' }) < 0
}

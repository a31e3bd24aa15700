package headers

import (
	"net/http"
	"strings"
	"time"
)

// RetryAfter returns only the wait that the server asked for: Retry-After in all
// the forms in use (seconds, fractions, dates, durations, instants by mistake),
// its variants in milliseconds, and its non-standard namesakes, in this order.
// It is absent if there is none that can be used. See [Result].
func RetryAfter(h http.Header, now time.Time) Opt[time.Duration] {
	var buf [4]field
	fields := buf[:0]
	var from origin
	for name, lines := range h {
		switch c := classOf(name); {
		case len(lines) == 0:
		case c.kind == context:
			from.take(c, lines[0])
		case c.kind == retry:
			fields = append(fields, field{name, lines, c})
		}
	}
	if len(fields) == 0 {
		return Opt[time.Duration]{}
	}
	r := reading{clock: clock{now: now, dateText: from.date}}
	for i := range fields {
		r.readRetry(&fields[i])
	}
	return r.retry
}

// readRetry reads one field. Of fields of the same rank, and of several values,
// the longest wait counts.
func (r *reading) readRetry(f *field) {
	for i, line := range f.lines {
		d, ok := r.readWait(trim(line), f.scale)
		if ok && (!r.retry.OK || f.order > r.retryRank || f.order == r.retryRank && d > r.retry.V) {
			r.retry, r.retryRank = Some(d), f.order
		}
		r.noteLine(f, i, noRole, ok)
	}
}

// readWait reads a value that may hold several, separated by commas; the comma of
// a date separates nothing.
func (r *reading) readWait(v string, unit time.Duration) (longest time.Duration, found bool) {
	if d, ok := r.delay(v, unit); ok || !strings.Contains(v, ",") {
		return d, ok
	}
	for part := range strings.SplitSeq(v, ",") {
		if d, ok := r.delay(trim(part), unit); ok {
			longest, found = max(longest, d), true
		}
	}
	return longest, found
}

package headers

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

// A Report is a [Result] and how it came about.
type Report struct {
	Result
	// Cached reports whether the response came from a cache, by its Age: then
	// its counters were ignored.
	Cached bool
	// Fields holds each line of each field that was looked at, sorted by name.
	Fields []Field
}

// A Field is one line of a header field, and how it was read.
type Field struct {
	Name  string
	Value string // as sent, cut after 256 bytes
	// Role is what the line says: "limit", "remaining", "used", "burst",
	// "rate", "cost", "window", "reset", "retry after", "name", or for fields
	// that hold several of these "policies", "state", "limits".
	Role string
	// Read is what was understood: the value, where the line holds a single
	// one, and each member of the IETF fields, with what was dropped of it. It
	// is cut after 256 bytes too.
	Read string
	// Dialect is the family of the field, as in [Policy], "retry-after" and the
	// like included.
	Dialect string
	// Ignored says why the line was not used. It is empty if it was.
	Ignored string

	class *class
}

// Explain reads h as [Parse] does, and says for each field how it was read, or
// why it was ignored. It is for people and slower than Parse.
func Explain(h http.Header, now time.Time) Report { return Overrides{}.Explain(h, now) }

// Explain is [Explain] with the overrides applied.
func (o Overrides) Explain(h http.Header, now time.Time) Report {
	var n notes
	res := parse(h, now, o.ResetUnit, &n)
	o.apply(res.Policies)
	fields := n.fields
	slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	return Report{Result: res, Cached: n.cached, Fields: fields}
}

// notes gathers what Explain reports. Parse has none, and pays a nil check.
type notes struct {
	fields []Field
	cached bool
}

// ignore notes a field whose name only looks like that of a counter.
func (n *notes) ignore(f *field) {
	if n != nil {
		(&reading{notes: n}).noteLines(f, "", f.reason, false)
	}
}

func (n *notes) setCached(cached bool) {
	if n != nil {
		n.cached = cached
	}
}

const (
	cachedReason = "the response comes from a cache, so its counters are old"
	brokenReason = "no valid structured field, so the whole field is ignored"
	orphanReason = "there is no limit that it could belong to"
	listReason   = "a bare list of numbers is no limit"
	memberReason = "none of its members tells a limit, or what is left of one"
)

// noteLine notes how the i-th line of a field with one value was read.
func (r *reading) noteLine(f *field, i int, role role, ok bool) {
	if r.notes == nil {
		return
	}
	v := f.lines[i]
	note := f.note(v, role.String())
	switch {
	case f.kind == retry:
		note.Role = "retry after"
	case role == noRole:
		note.Role = "limits"
	}
	switch {
	case !ok:
		note.Ignored = whyNot(v)
	case role == reset:
		d, _ := r.delay(trim(v), r.resetUnitOf(f))
		note.Read = d.String()
	case f.kind == retry:
		d, _ := r.readWait(trim(v), f.scale)
		note.Read = d.String()
	default:
		note.Read = shorten(trim(v))
	}
	if ok && f.kind != retry && r.outdone(f, i, role) {
		note.Ignored = "repeated, and another line says less room or a longer wait"
	}
	r.notes.fields = append(r.notes.fields, note)
}

// noteLines notes how a field with many values in it was read. It returns its
// notes, one for each line.
func (r *reading) noteLines(f *field, role, reason string, ok bool) []Field {
	if r.notes == nil {
		return nil
	}
	for _, v := range f.lines {
		note := f.note(v, role)
		if !ok {
			note.Ignored = reason
			if trim(v) == "" {
				note.Ignored = whyNot(v)
			}
		}
		r.notes.fields = append(r.notes.fields, note)
	}
	return r.notes.fields[len(r.notes.fields)-len(f.lines):]
}

// noteGroup notes that what the fields of a group said is of no use: all of it, or
// one value if that is given.
func (r *reading) noteGroup(g *group, value, reason string) {
	if r.notes == nil || g.adopted {
		return
	}
	for i := range r.notes.fields {
		f := &r.notes.fields[i]
		mine := f.class != nil && g.sameSeries(f.class) && g.class.window == f.class.window && g.part == f.class.part
		if mine && f.Ignored == "" && (value == "" || f.Read == shorten(value)) {
			f.Ignored = reason
		}
	}
}

func (f *field) note(v, role string) Field {
	note := Field{Name: f.name, Value: shorten(v), Role: role, Dialect: f.dialect()}
	if (f.kind == counter || f.kind == bareField) && !f.ietf() {
		note.class = f.class
	}
	return note
}

// shorten cuts a text that a server sent to a length that can be shown.
func shorten(s string) string { return s[:min(len(s), 256)] }

// whyNot says what is wrong with a value that could not be read.
func whyNot(v string) string {
	switch {
	case len(v) > maxValue:
		return "the value is too long"
	case trim(v) == "":
		return "the value is empty"
	case trim(v)[0] == '-':
		return "a negative number means that nothing is known"
	}
	return "the value is not understood"
}

// outdone reports whether another line of the field counts instead of this one.
func (r *reading) outdone(f *field, i int, role role) bool {
	mine, ok := readNumber(trim(f.lines[i]))
	if len(f.lines) > maxItems {
		return false // nobody reads that much, and it would take the square of it
	}
	for j, line := range f.lines {
		other, okOther := readNumber(trim(line))
		if i == j || !ok || !okOther {
			continue
		}
		less := other.float() < mine.float()
		if role == reset || role == used || role == cost || role == window {
			less = other.float() > mine.float()
		}
		if less {
			return true
		}
	}
	return false
}

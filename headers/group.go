package headers

import (
	"cmp"
	"strings"
	"time"
)

// A group gathers the fields that speak of one limit: those of one family, unit,
// partition and window.
type group struct {
	*class  // of the first of its fields
	val     [window]Opt[float64]
	window  time.Duration // published as a value
	per     time.Duration // of the refill rate, if no window is published
	reset   Opt[time.Duration]
	rank    int8 // of the field that reset is from
	adopted bool // what it has went to another group
	state   bool // from a Dictionary of draft-07: comes first with RateLimit-Policy
	quotas  []quota
	raw     [lists]string // see compound
}

// groups holds groups: the first few where the reading is, so that the usual
// response needs no memory for them.
type groups struct {
	first [2]group
	more  []group
	count int
}

func (gs *groups) at(i int) *group {
	if i < len(gs.first) {
		return &gs.first[i]
	}
	return &gs.more[i-len(gs.first)]
}

// add adds a group; the pointer is good until the next one is added.
func (gs *groups) add(g group) *group {
	if gs.count < len(gs.first) {
		gs.first[gs.count] = g
	} else {
		gs.more = append(gs.more, g)
	}
	gs.count++
	return gs.at(gs.count - 1)
}

// A quota is a listed policy: it has a window but no state.
type quota struct {
	*class
	limit  float64
	window time.Duration
	burst  Opt[float64]
	name   string
	unit   string

	dialect string
}

// group returns the group that a field belongs to.
func (r *reading) group(c *class) *group {
	for i := range r.count {
		g := r.at(i)
		if g.sameSeries(c) && g.class.window == c.window && g.part == c.part {
			return g
		}
	}
	return r.add(group{class: c})
}

// sameSeries reports whether the fields are of one family and unit.
func (g *group) sameSeries(c *class) bool {
	return g.x == c.x && g.loose == c.loose && !g.state && g.family == c.family && g.unit == c.unit
}

func unitOf(unit string) string {
	if unit == "" {
		return "requests"
	}
	return unit
}

// put stores a count. Of several the one that binds most is kept.
func (g *group) put(role role, v float64) {
	old := g.val[role]
	if old.OK && (role == used || role == cost) {
		v = max(v, old.V)
	} else if old.OK {
		v = min(v, old.V)
	}
	g.val[role] = Some(v)
}

// putReset stores a reset: of the field that is preferred, else the longest.
func (g *group) putReset(d time.Duration, rank int8) {
	switch {
	case !g.reset.OK || rank > g.rank:
		g.reset, g.rank = Some(d), rank
	case rank == g.rank:
		g.reset.V = max(g.reset.V, d)
	}
}

// holds reports whether the group says how much there is or is left.
func (g *group) holds() bool {
	return g.val[limit].OK || g.val[remaining].OK || g.val[rate].OK || g.raw[ofLimits] != "" || len(g.quotas) > 0
}

// readCounter reads a field with one number in it, or something like one.
func (r *reading) readCounter(f *field) {
	for i, line := range f.lines {
		v := trim(line)
		role, ok := f.role, false
		switch {
		case f.kind == bareField && isPairs(v):
			ok = r.readPairs(f, v)
		case f.kind == bareField && isStructured(v) && f.isState():
			return // read with RateLimit-Policy
		case f.kind == bareField && isStructured(v):
			ok = r.readPairs(f, v)
		case f.kind != counter || role == limit || role == used:
			role, ok = r.readLimit(f, v)
		case role == reset:
			ok = r.readReset(f, v)
		case role == window:
			ok = r.readWindow(f, v)
		default:
			ok = r.readCount(f, v)
		}
		r.noteLine(f, i, role, ok)
	}
}

func (r *reading) readReset(f *field, v string) bool {
	d, ok := r.delay(v, r.resetUnitOf(f))
	if !ok && strings.IndexByte(v, ',') > 0 {
		return r.readCompound(f, v)
	}
	if ok {
		r.group(f.class).putReset(d, f.order)
	}
	return ok
}

// resetUnitOf returns what a bare number in a reset counts; zero if nobody says.
func (r *reading) resetUnitOf(f *field) time.Duration {
	if r.resetUnit > 0 {
		return r.resetUnit
	}
	return f.scale
}

func (r *reading) readWindow(f *field, v string) bool {
	d, ok := readSpan(v)
	if n, isNumber := readNumber(v); isNumber {
		d = n.times(cmp.Or(f.scale, time.Second))
	} else if !ok {
		d = windowWord(v)
	}
	if d <= 0 || d > horizon {
		return false
	}
	g := r.group(f.class)
	g.window = max(g.window, d)
	return true
}

// readCount reads a plain count; what is left may carry the window ("76;w=21600").
func (r *reading) readCount(f *field, v string) bool {
	n, ok := readNumber(v)
	if ok {
		g := r.group(f.class)
		g.put(f.role, n.float())
		if f.role == rate {
			g.per = max(g.per, f.scale)
		}
		return true
	}
	var buf [2]item
	list, ok := readList([]string{v}, buf[:0])
	if !ok || len(list) != 1 || !list[0].w.OK || !list[0].count.OK {
		return false
	}
	r.group(f.class).put(f.role, list[0].count.V)
	return true
}

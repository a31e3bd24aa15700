package headers

import (
	"strings"
	"time"
)

// Lists of windows. Riot Games sends "20:1,100:120" (limit:seconds) and as count
// "3:1,57:120"; Path of Exile "10:5:10" (limit:seconds:penalty) and as state
// "1:5:0" (hits:seconds:penalty in force); Strava "200,2000" and as usage
// "45,312", where the windows are known to be 15 minutes and a day; Polar does the
// same and adds the resets.

// maxWindows bounds the windows of one list.
const maxWindows = 16

// The lists that a group may have.
const (
	ofLimits = iota
	ofUsage
	ofResets
	lists
)

// readCompound keeps a list of windows until both sides of it are known.
func (r *reading) readCompound(f *field, v string) bool {
	if _, ok := readTuples(v); !ok {
		return false
	}
	side := ofLimits
	if f.role == reset {
		side = ofResets
	} else if f.role == used || f.kind == listing {
		side = ofUsage
	}
	g := r.group(f.class)
	if g.raw[side] == "" {
		g.raw[side] = v
	}
	return true
}

// A tuple is one window of a list: up to three numbers.
type tuple [3]Opt[float64]

// tuples are the windows of a list; the first without a number ends it.
type tuples [maxWindows]tuple

// timed reports whether each window of the list says how long it is.
func (t *tuples) timed() bool {
	for _, w := range t {
		if w[0].OK != w[1].OK {
			return false
		}
	}
	return t[0][0].OK
}

// barePair reports whether the list holds two numbers, with no windows.
func (t *tuples) barePair() bool {
	return t[0][0].OK && !t[0][1].OK && t[1][0].OK && !t[1][1].OK && !t[2][0].OK
}

// readTuples reads tuples of numbers, separated by commas.
func readTuples(s string) (list tuples, ok bool) {
	n := 0
	for part := range strings.SplitSeq(s, ",") {
		if n == maxWindows {
			return list, false
		}
		at := 0
		for text := range strings.SplitSeq(part, ":") {
			v, ok := readNumber(trim(text))
			if !ok || at == 3 {
				return list, false
			}
			list[n][at] = Some(v.float())
			at++
		}
		n++
	}
	return list, n > 0
}

// compound turns the lists of a group into policies. It reports false for a bare
// list without its usage: "5,000" is not a limit of five.
func (r *reading) compound(g *group) bool {
	limits, _ := readTuples(g.raw[ofLimits])
	usage, _ := readTuples(g.raw[ofUsage])
	resets, _ := readTuples(g.raw[ofResets])
	if !limits.timed() && !(limits.barePair() && usage.barePair()) {
		return false
	}
	for i, l := range limits {
		if !l[0].OK {
			break
		}
		p := r.policyOf(g)
		p.Limit, p.Window = l[0], [...]time.Duration{15 * time.Minute, day}[i%2]
		if l[1].OK {
			p.Window = toSeconds(l[1].V)
		} else {
			p.Reset = penalty(resets[i][0])
		}
		for j, u := range usage {
			if u[0].OK && (u[1] == l[1] && u[1].OK || !l[1].OK && i == j) {
				p.use(u[0].V)
				fillOpt(&p.Reset, penalty(u[2]))
			}
		}
		r.out = append(r.out, p)
	}
	return true
}

// penalty is the time for which a server shuts a client out: none if zero.
func penalty(s Opt[float64]) Opt[time.Duration] {
	if d := toSeconds(s.V); d > 0 && d <= horizon {
		return Some(d)
	}
	return Opt[time.Duration]{}
}

// use sets what remains from what is used.
func (p *Policy) use(u float64) {
	if p.Limit.OK {
		p.Remaining = Some(max(0, p.Limit.V-u))
	}
}

// toSeconds returns s seconds, or the longest Duration.
func toSeconds(s float64) time.Duration {
	return number{whole: uint64(min(s, 1e18))}.times(time.Second)
}

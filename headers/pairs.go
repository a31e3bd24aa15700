package headers

import (
	"strings"
	"time"
)

// A pair is one "key=value" of the small formats that look like structured
// fields and are none.
type pair struct{ key, value string }

// readPairsOf splits a text at a separator into pairs; what is no pair is left out.
func readPairsOf(s string, sep string) []pair {
	var list []pair
	for part := range strings.SplitSeq(s, sep) {
		if key, value, ok := strings.Cut(part, "="); ok && len(list) < maxItems {
			list = append(list, pair{strings.ToLower(trim(key)), trim(value)})
		}
	}
	return list
}

// readPairs reads a whole limit in one value: "total=100; remaining=99; resets=41",
// or the same as JSON. The keys are words with a role, as in the names of fields.
func (r *reading) readPairs(f *field, v string) bool {
	p := Policy{Name: f.rest, Unit: unitOf(f.unit), Window: f.class.window, Dialect: f.dialect()}
	for _, kv := range splitPairs(v) {
		r.readPair(&p, kv)
	}
	if !p.Limit.OK && !p.Remaining.OK || len(r.out) >= maxItems {
		return false
	}
	r.out = append(r.out, clamp(p))
	return true
}

func splitPairs(v string) []pair {
	switch {
	case v[0] == '{':
		return jsonPairs(v)
	case strings.Contains(v, ";"):
		return readPairsOf(v, ";")
	}
	return readPairsOf(v, ",")
}

func (r *reading) readPair(p *Policy, kv pair) {
	if kv.key == "name" && printable(kv.value) {
		p.Name = kv.value
	}
	w := vocabulary[kv.key]
	if w.role == reset || w.sort == instant {
		if d, ok := r.delay(kv.value, 0); ok {
			p.Reset = Some(d)
		}
		return
	}
	n, ok := readNumber(kv.value)
	if !ok {
		return
	}
	switch v := Some(n.float()); w.role {
	case limit:
		p.Limit = v
	case remaining:
		p.Remaining = v
	case used:
		p.use(v.V)
	case burst:
		p.Burst = v
	case window:
		p.Window = n.times(time.Second)
	}
}

package headers

import (
	"strings"
	"time"
)

// readIETF reads RateLimit-Policy and RateLimit of each family that has them:
// the standard names, and those with a prefix.
func (r *reading) readIETF(fields []field) {
	for i := range fields {
		if fields[i].ietf() && !seenBefore(fields, i) {
			r.readTwo(fields[i:])
		}
	}
}

// ietf reports whether the field is RateLimit-Policy, or RateLimit with a
// structured value.
func (f *field) ietf() bool {
	if f.kind != bareField {
		return f.kind == policy
	}
	return f.isState() && isStructured(trim(f.lines[0])) && !isPairs(trim(f.lines[0]))
}

// isState holds for "RateLimit" and the like: no word says more.
func (c *class) isState() bool {
	return c.kind == bareField && c.plain && c.unit == "" && c.window == 0 && c.rest == "" && c.part == ""
}

// isStructured reports whether a value begins like a structured field of names,
// and not like a number.
func isStructured(v string) bool {
	return v != "" && (v[0] == '"' || v[0] >= 'a' && v[0] <= 'z' || v[0] >= 'A' && v[0] <= 'Z' || v[0] == '*' || v[0] == '(')
}

// isPairs reports whether a value is JSON or "key=value; key=value", which would
// make one member of a Dictionary.
func isPairs(v string) bool {
	first, _, ok := strings.Cut(v, ";")
	return ok && v[0] != '"' && strings.IndexByte(first, '=') > 0 && strings.IndexByte(v, ',') < 0 || strings.HasPrefix(v, "{")
}

func seenBefore(fields []field, i int) bool {
	for j := range i {
		if fields[j].ietf() && fields[j].family == fields[i].family {
			return true
		}
	}
	return false
}

// readTwo reads the two fields of the family of the first field.
func (r *reading) readTwo(fields []field) {
	var policyBuf, stateBuf [4]item
	policies, states := policyBuf[:0], stateBuf[:0]
	c := fields[0].class
	for i := range fields {
		f := &fields[i]
		switch {
		case f.class.family != c.family || !f.ietf():
		case f.kind == policy:
			policies = r.readPolicies(f, policies)
		default:
			states = r.readStates(f, states)
		}
	}
	r.joinItems(policies, states, ietfLabel(c))
}

// dialect names the dialect that the field is in.
func (f *field) dialect() string {
	if f.ietf() {
		return ietfLabel(f.class)
	}
	return f.label
}

// ietfLabel names the dialect of a family of IETF fields.
func ietfLabel(c *class) string {
	if c.family == "ratelimit" {
		return "ietf"
	}
	return c.label
}

// readPolicies reads RateLimit-Policy. Integer items are the quotas of drafts 03
// to 07 and kept for the counters they belong to; the rest are named policies.
func (r *reading) readPolicies(f *field, kept []item) []item {
	var buf [4]item
	list, ok := readList(f.lines, buf[:0])
	for i := range list {
		switch it := &list[i]; {
		case it.rules():
			kept = append(kept, *it)
		case it.count.OK:
			q := quotaOf(f.class, it)
			q.dialect = ietfLabel(f.class)
			r.quotas = append(r.quotas, q)
		}
	}
	r.noteMembers(f, "policies", ok)
	return kept
}

// readStates reads RateLimit: the List of drafts 08 to 11, or the Dictionary of
// draft-07.
func (r *reading) readStates(f *field, kept []item) []item {
	var buf [4]item
	if isDictionary(trim(f.lines[0])) {
		list, ok := readDictionary(f.lines, buf[:0])
		if ok {
			r.readDictionaryState(f, list)
		}
		r.noteMembers(f, "state", ok)
		return kept
	}
	list, ok := readList(f.lines, buf[:0])
	for i := range list {
		if list[i].stands() {
			kept = append(kept, list[i])
		}
	}
	r.noteMembers(f, "state", ok)
	return kept
}

// rules reports whether the item is a named policy.
func (it *item) rules() bool { return it.named && it.q.OK }

// stands reports whether the item says how a named policy stands.
func (it *item) stands() bool { return it.named && (it.r.OK || it.t.OK) }

// isDictionary reports whether a value is of draft-07.
func isDictionary(v string) bool {
	for _, key := range [...]string{"limit", "remaining", "reset"} {
		if len(v) > len(key) && v[:len(key)] == key && v[len(key)] == '=' {
			return true
		}
	}
	return false
}

func (r *reading) readDictionaryState(f *field, list []item) {
	g := group{class: f.class, state: true}
	for i := range list {
		it := &list[i]
		switch role := it.stateRole(); role {
		case noRole:
		case reset:
			g.putReset(toSeconds(it.count.V), 0)
		default:
			g.put(role, it.count.V)
		}
	}
	r.add(g)
}

// stateRole returns what a member of the Dictionary says, noRole if nothing that
// can be used.
func (it *item) stateRole() role {
	switch {
	case !it.count.OK || !it.exact:
	case it.name == "limit":
		return limit
	case it.name == "remaining":
		return remaining
	case it.name == "reset" && toSeconds(it.count.V) <= horizon:
		return reset
	}
	return noRole
}

// joinItems joins the policies with what remains of them, by name and partition
// key. What has no counterpart stands alone.
func (r *reading) joinItems(policies, states []item, label string) {
	var taken [maxItems]bool
	states = states[:min(len(states), maxItems)]
	if r.out == nil && len(policies)+len(states) > 0 {
		r.out = make([]Policy, 0, max(len(policies), len(states)))
	}
	for i := range policies {
		p := &policies[i]
		out := Policy{
			Name: p.name, PartitionKey: p.pk.V, Limit: count(p.q), Burst: count(p.burst), Unit: unitName(p.qu), Dialect: label,
		}
		if p.w.OK {
			out.Window = seconds(p.w.V)
		}
		if j := stateOf(p, states, taken[:]); j >= 0 {
			taken[j] = true
			addState(&out, &states[j])
		}
		r.out = append(r.out, clamp(out))
	}
	for j := range states {
		if !taken[j] {
			out := Policy{Name: states[j].name, Unit: unitName(states[j].qu), Burst: count(states[j].burst), Dialect: label}
			addState(&out, &states[j])
			r.out = append(r.out, out)
		}
	}
}

// stateOf finds the state of a policy; a partition key on one side only is no
// obstacle, but an equal one is better.
func stateOf(p *item, states []item, taken []bool) int {
	found := -1
	for j := range states {
		s := &states[j]
		switch {
		case taken[j] || s.name != p.name:
		case s.pk == p.pk:
			return j
		case (!s.pk.OK || !p.pk.OK) && found < 0:
			found = j
		}
	}
	return found
}

func addState(p *Policy, s *item) {
	p.Remaining = count(s.r)
	if s.t.OK && seconds(s.t.V) <= horizon {
		p.Reset = Opt[time.Duration]{seconds(s.t.V), true}
	}
	if p.PartitionKey == "" {
		p.PartitionKey = s.pk.V
	}
}

package headers

import (
	"fmt"
	"strings"

	"github.com/dunglas/httpsfv"
)

// noteMembers notes what was read of each member of an IETF field, and what was
// left out.
func (r *reading) noteMembers(f *field, role string, ok bool) {
	noted := r.noteLines(f, role, brokenReason, ok)
	if !ok {
		return
	}
	for i := range noted {
		read, useful := describeLine(trim(f.lines[i]), role)
		if noted[i].Read = shorten(read); !useful {
			noted[i].Ignored = memberReason
		}
	}
}

// describeLine describes the members of one line, and reports whether there was
// anything to read in them. A line that is only whole together with the next is
// not described.
func describeLine(line, role string) (text string, useful bool) {
	if role == "state" && isDictionary(line) {
		return describeDictionary(line)
	}
	members, err := httpsfv.UnmarshalList([]string{line})
	if err != nil {
		return "", true
	}
	texts := make([]string, len(members))
	for i, m := range members {
		var ok bool
		texts[i], ok = describeMember(m, role)
		useful = useful || ok
	}
	return strings.Join(texts, ", "), useful
}

// describeMember describes one member: `"a" q=10 w=1 (dropped: pk)`.
func describeMember(m httpsfv.Member, role string) (text string, useful bool) {
	from, ok := m.(httpsfv.Item)
	if !ok {
		return "(dropped: an inner list)", false
	}
	name, it := bareText(from.Value), convertItem(from)
	switch {
	case role == "state" && !it.stands():
		return name + " (dropped: neither r nor t)", false
	case role != "state" && !it.rules() && !it.count.OK:
		return name + " (dropped: no q)", false
	}
	var read, dropped []string
	for _, key := range from.Params.Names() {
		v, _ := from.Params.Get(key)
		if counts(role, it.named, key, convertBare(v)) {
			read = append(read, key+"="+bareText(v))
		} else {
			dropped = append(dropped, key)
		}
	}
	return describe(append([]string{name}, read...), dropped), true
}

// counts reports whether a parameter means something where it stands, and has a
// value of the right type. A policy that is a number has names of its own for
// some of them.
func counts(role string, named bool, key string, v bare) bool {
	var it item
	it.param(key, v)
	switch {
	case it.burst.OK || it.qu.OK || it.pk.OK && named:
		return true
	case role == "state":
		return it.r.OK || it.t.OK && seconds(it.t.V) <= horizon
	}
	return it.w.OK || it.q.OK && named || it.policyName.OK && !named
}

// describeDictionary is describeLine for draft-07.
func describeDictionary(line string) (text string, useful bool) {
	list, ok := readDictionary([]string{line}, nil)
	if !ok {
		return "", true
	}
	var read, dropped []string
	for i := range list {
		if it := &list[i]; it.stateRole() != noRole {
			read = append(read, fmt.Sprintf("%s=%.0f", it.name, it.count.V))
		} else {
			dropped = append(dropped, it.name)
		}
	}
	return describe(read, dropped), len(read) > 0
}

func describe(read, dropped []string) string {
	if len(dropped) > 0 {
		read = append(read, "(dropped: "+strings.Join(dropped, " ")+")")
	}
	return strings.Join(read, " ")
}

// bareText writes a bare item as it stands in a field.
func bareText(v any) string {
	text, err := httpsfv.Marshal(httpsfv.NewItem(v))
	if err != nil {
		return fmt.Sprint(v)
	}
	return text
}

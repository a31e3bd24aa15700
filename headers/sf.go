package headers

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"
)

// maxItems bounds the members of one structured field.
const maxItems = 64

// An item is one member of a structured field, with the parameters that the
// rate limit fields know. Those of the wrong type are absent.
type item struct {
	name  string // of a String or Token, or the key in a Dictionary
	named bool
	count Opt[float64] // of an Integer or Decimal
	exact bool         // an Integer

	q, r, t, w, burst  Opt[int64]
	qu, pk, policyName Opt[string]
}

// A bare is a bare item of a structured field.
type bare struct {
	kind byte // 'i'nteger, 'd'ecimal, 's'tring, 't'oken, 'b'ytes, or 0 for others
	n    int64
	f    float64
	s    string
}

// readList reads a structured field of type List (RFC 9651, section 3.1). ok is
// false if any line is broken, for then the whole field must be ignored.
func readList(lines []string, into []item) (list []item, ok bool) {
	text, ok := joinLines(lines)
	if !ok {
		return nil, false
	}
	if list, ok = (&scanner{s: text}).members(into, false); ok {
		return list, len(list) <= maxItems
	}
	members, err := httpsfv.UnmarshalList([]string{text})
	if err != nil || len(members) > maxItems {
		return nil, false
	}
	list = into[:0]
	for _, m := range members {
		if it, ok := m.(httpsfv.Item); ok {
			list = append(list, convertItem(it))
		}
	}
	return list, true
}

// readDictionary reads a structured field of type Dictionary, one item for each
// key, in the order of the keys.
func readDictionary(lines []string, into []item) (list []item, ok bool) {
	text, ok := joinLines(lines)
	if !ok {
		return nil, false
	}
	if list, ok = (&scanner{s: text}).members(into, true); ok {
		return list, len(list) <= maxItems
	}
	list = into[:0]
	dict, err := httpsfv.UnmarshalDictionary([]string{text})
	if err != nil || len(dict.Names()) > maxItems {
		return nil, false
	}
	for _, key := range dict.Names() {
		m, _ := dict.Get(key)
		if it, ok := m.(httpsfv.Item); ok {
			got := convertItem(it)
			got.name = key
			list = append(list, got)
		}
	}
	return list, true
}

// joinLines joins the lines of one field, as RFC 9651 asks.
func joinLines(lines []string) (string, bool) {
	text := ""
	if len(lines) == 1 {
		text = trim(lines[0])
	} else if len(lines) <= maxItems {
		text = trim(strings.Join(lines, ", "))
	}
	return text, text != ""
}

func convertItem(from httpsfv.Item) (it item) {
	it.value(convertBare(from.Value))
	for _, key := range from.Params.Names() {
		v, _ := from.Params.Get(key)
		it.param(key, convertBare(v))
	}
	return it
}

func convertBare(v any) bare {
	switch v := v.(type) {
	case int64:
		return bare{kind: 'i', n: v}
	case float64:
		return bare{kind: 'd', f: v}
	case string:
		return bare{kind: 's', s: v}
	case httpsfv.Token:
		return bare{kind: 't', s: string(v)}
	case []byte:
		return bare{kind: 'b', s: string(v)}
	}
	return bare{}
}

func (it *item) value(v bare) {
	switch v.kind {
	case 's', 't':
		it.name, it.named = v.s, true
	case 'i':
		it.count, it.exact = Opt[float64]{float64(v.n), v.n >= 0}, true
	case 'd':
		it.count = Opt[float64]{v.f, v.f >= 0}
	}
}

// param takes a parameter if its type is right; the last of a name wins.
func (it *item) param(key string, v bare) {
	integer := Opt[int64]{v.n, v.kind == 'i' && v.n >= 0}
	text := Opt[string]{v.s, v.kind == 's'}
	switch key {
	case "q":
		it.q = integer
	case "r":
		it.r = integer
	case "t":
		it.t = integer
	case "w", "window":
		it.w = Opt[int64]{v.n, integer.OK && v.n > 0}
	case "qu":
		it.qu = text
	case "pk":
		it.pk = Opt[string]{v.s, v.kind == 'b'}
	case "name":
		it.policyName = text
	default:
		if key == "burst" || strings.HasSuffix(key, "-burst") {
			it.burst = integer
		}
	}
}

// A scanner reads the plain common form of a List or a Dictionary: Strings without
// escapes and Integers, with parameters of these types and Byte Sequences. It
// exists for speed alone: at whatever else it meets it gives up, and httpsfv
// decides.
type scanner struct {
	s  string
	at int
}

// members reads the members of a List, or those of a Dictionary, which have keys.
func (sc *scanner) members(list []item, keyed bool) ([]item, bool) {
	for len(list) <= maxItems {
		var it item
		if keyed && !sc.entry(&it, list) || !keyed && !sc.item(&it) {
			return nil, false
		}
		list = append(list, it)
		sc.skip(" \t")
		if sc.at == len(sc.s) {
			return list, true
		}
		if !sc.eat(',') {
			return nil, false
		}
		sc.skip(" \t")
	}
	return nil, false
}

// entry reads a member with its key, if that is a new one.
func (sc *scanner) entry(it *item, others []item) bool {
	key, ok := sc.key()
	if !ok || slices.ContainsFunc(others, func(o item) bool { return o.name == key }) || !sc.item(it) {
		return false
	}
	it.name = key
	return true
}

func (sc *scanner) item(it *item) bool {
	v, ok := sc.bare()
	if !ok || v.kind == 'b' {
		return false
	}
	it.value(v)
	return sc.params(it)
}

// key reads a key and the equals sign behind it.
func (sc *scanner) key() (key string, ok bool) {
	start := sc.at
	for sc.at < len(sc.s) && isKeyByte(sc.s[sc.at]) {
		sc.at++
	}
	key = sc.s[start:sc.at]
	return key, key != "" && key[0] != '-' && sc.eat('=')
}

func (sc *scanner) params(it *item) bool {
	for sc.eat(';') {
		sc.skip(" ")
		key, ok := sc.key()
		if !ok {
			return false
		}
		v, ok := sc.bare()
		if !ok {
			return false
		}
		it.param(key, v)
	}
	return true
}

func (sc *scanner) bare() (v bare, ok bool) {
	rest := sc.s[sc.at:]
	switch {
	case rest == "":
		return v, false
	case rest[0] == '"':
		return sc.quoted(rest[1:])
	case rest[0] == ':':
		end := strings.IndexByte(rest[1:], ':')
		if end < 0 || strings.ContainsAny(rest[1:end+1], "\r\n") {
			return v, false
		}
		sc.at += end + 2
		b, err := base64.StdEncoding.DecodeString(rest[1 : end+1])
		return bare{kind: 'b', s: string(b)}, err == nil
	}
	end := 0
	for end < len(rest) && rest[end]-'0' <= 9 {
		v.n = v.n*10 + int64(rest[end]-'0')
		end++
	}
	sc.at += end
	v.kind = 'i'
	return v, end > 0 && end <= 15 && (end == len(rest) || rest[end] != '.')
}

// quoted reads a String after its opening quote, if it needs no unescaping.
func (sc *scanner) quoted(rest string) (bare, bool) {
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == '"':
			sc.at += i + 2
			return bare{kind: 's', s: rest[:i]}, true
		case c == '\\' || c < ' ' || c > '~':
			return bare{}, false
		}
	}
	return bare{}, false
}

// isKeyByte holds for the letters that known keys are made of; keys with others
// are left to httpsfv.
func isKeyByte(c byte) bool { return c >= 'a' && c <= 'z' || c == '-' }

func (sc *scanner) eat(c byte) bool {
	if sc.at < len(sc.s) && sc.s[sc.at] == c {
		sc.at++
		return true
	}
	return false
}

func (sc *scanner) skip(set string) {
	for sc.at < len(sc.s) && strings.IndexByte(set, sc.s[sc.at]) >= 0 {
		sc.at++
	}
}

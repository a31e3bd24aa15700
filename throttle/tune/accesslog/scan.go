package accesslog

import (
	"bytes"
	"encoding/json"
)

// A jsonScanner goes through a line once, checks that it is valid JSON, and takes
// what is wanted. That is several times as fast as to have package json make
// values of all there is.
type jsonScanner struct {
	line  []byte
	i     int // what comes next
	found parts
	lower [128]byte

	// Lines of one log have the same names in the same order.
	before []jsonName
	n      int // how many names there were in this line
}

// A jsonName is a name that stood in an object of which something is wanted, and
// what is wanted of its value.
type jsonName struct {
	of     *jsonNode
	name   []byte
	member *jsonNode
}

// The most that is remembered of names, and how deep values may nest.
const (
	maxNames = 256
	maxDepth = 500
)

// scan takes what a node wants of the object that a line is. It reports whether
// the line is valid.
func (s *jsonScanner) scan(line []byte, wanted *jsonNode) bool {
	s.line, s.i, s.found, s.n = line, 0, parts{}, 0
	return s.object(wanted, 0) && s.next() == 0 && s.i == len(s.line)
}

// next goes to the next byte that is no white space, and returns it; 0 at the
// end.
func (s *jsonScanner) next() byte {
	for ; s.i < len(s.line); s.i++ {
		switch c := s.line[s.i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// skip goes behind a byte if that comes next.
func (s *jsonScanner) skip(c byte) bool {
	if s.next() != c {
		return false
	}
	s.i++
	return true
}

// object goes behind an object, and takes what n wants of it; nil wants nothing.
func (s *jsonScanner) object(n *jsonNode, depth int) bool {
	s.i++
	if s.skip('}') {
		return true
	}
	for s.next() == '"' {
		name, ok := s.text()
		if !ok || !s.skip(':') || !s.value(s.member(n, name), depth+1) {
			return false
		}
		if !s.skip(',') {
			return s.skip('}')
		}
	}
	return false
}

// member returns what is wanted of a member of an object.
func (s *jsonScanner) member(n *jsonNode, name []byte) *jsonNode {
	if n == nil || n.members == nil {
		return nil
	}
	s.n++
	if s.n <= len(s.before) {
		if b := &s.before[s.n-1]; b.of == n && bytes.Equal(b.name, name) {
			return b.member
		}
	}
	member := n.members[string(s.fold(unescape(name)))]
	if s.n <= maxNames {
		s.before = append(s.before[:min(s.n-1, len(s.before))], jsonName{n, bytes.Clone(name), member})
	}
	return member
}

// value goes behind a value, and takes it if n wants it.
func (s *jsonScanner) value(n *jsonNode, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch s.next() {
	case '{':
		return s.object(n, depth)
	case '[':
		return s.array(n, depth)
	case '"':
		text, ok := s.text()
		s.offer(n, text)
		return ok
	}
	start := s.i
	if !s.word() {
		return false
	}
	if word := s.line[start:s.i]; string(word) != "null" {
		s.offer(n, word)
	}
	return true
}

// array goes behind an array. Of one that is wanted it takes the first element, if
// that is a text: so some servers write header fields.
func (s *jsonScanner) array(n *jsonNode, depth int) bool {
	s.i++
	if s.skip(']') {
		return true
	}
	if s.next() != '"' {
		n = nil
	}
	for {
		if !s.value(n, depth+1) {
			return false
		}
		n = nil
		if !s.skip(',') {
			return s.skip(']')
		}
	}
}

func (s *jsonScanner) offer(n *jsonNode, value []byte) {
	if n == nil {
		return
	}
	for _, p := range n.parts {
		s.found.offer(p.part, p.rank, unescape(value))
	}
}

// text goes behind a string, and returns what is in it, with its escapes.
func (s *jsonScanner) text() (raw []byte, ok bool) {
	s.i++
	start := s.i
	for ; s.i < len(s.line); s.i++ {
		switch c := s.line[s.i]; {
		case c == '"':
			s.i++
			return s.line[start : s.i-1], true
		case c == '\\':
			if !s.escape() {
				return nil, false
			}
		case c < ' ':
			return nil, false
		}
	}
	return nil, false
}

// escape goes to the last byte of an escape.
func (s *jsonScanner) escape() bool {
	if s.i++; s.i == len(s.line) {
		return false
	}
	switch s.line[s.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		digits := s.line[s.i+1 : min(s.i+5, len(s.line))]
		s.i += 4
		return len(digits) == 4 && len(bytes.Trim(digits, "0123456789abcdefABCDEF")) == 0
	}
	return false
}

// word goes behind a number or a name.
func (s *jsonScanner) word() bool {
	switch s.next() {
	case 't':
		return s.name("true")
	case 'f':
		return s.name("false")
	case 'n':
		return s.name("null")
	}
	return s.number()
}

// name goes behind a name if that comes next.
func (s *jsonScanner) name(name string) bool {
	if !bytes.HasPrefix(s.line[s.i:], []byte(name)) {
		return false
	}
	s.i += len(name)
	return true
}

// number goes behind a number.
func (s *jsonScanner) number() bool {
	s.take("-")
	if !s.take("0") && !s.digits() {
		return false
	}
	if s.take(".") && !s.digits() {
		return false
	}
	if s.take("eE") {
		s.take("+-")
		return s.digits()
	}
	return true
}

// take goes behind the next byte if it is one of some.
func (s *jsonScanner) take(some string) bool {
	for i := range len(some) {
		if s.i < len(s.line) && s.line[s.i] == some[i] {
			s.i++
			return true
		}
	}
	return false
}

// digits goes behind one digit or more.
func (s *jsonScanner) digits() bool {
	start := s.i
	for s.i < len(s.line) && isDigit(s.line[s.i]) {
		s.i++
	}
	return s.i > start
}

// unescape returns what is meant by the inside of a string.
func unescape(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var text string
	_ = json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &text) // it is valid
	return []byte(text)
}

// fold returns a name in lower case. A long one is none that anybody wants.
func (s *jsonScanner) fold(name []byte) []byte {
	if len(name) > len(s.lower) {
		return nil
	}
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		s.lower[i] = c
	}
	return s.lower[:len(name)]
}

package accesslog

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A jsonParser reads one JSON object a line.
type jsonParser struct {
	clock   clock
	wanted  *jsonNode
	scanner jsonScanner
}

// A jsonNode is what is wanted of one member of an object: its value, members
// of it, or both.
type jsonNode struct {
	parts   []partIndex
	members map[string]*jsonNode
}

func newJSONParser(o *Options) *jsonParser {
	root := &jsonNode{members: map[string]*jsonNode{}}
	for i, part := range allParts {
		for rank, name := range o.names(part) {
			node := root.at(name)
			node.parts = append(node.parts, partIndex{i, rank})
		}
	}
	return &jsonParser{clock: o.clock(), wanted: root}
}

// at returns the node of a path of names. A name that has a dot itself is
// another node, of the whole of it.
func (n *jsonNode) at(path string) *jsonNode {
	node := n
	for name := range strings.SplitSeq(path, ".") {
		if node.members == nil {
			node.members = map[string]*jsonNode{}
		}
		next := node.members[name]
		if next == nil {
			next = &jsonNode{}
			node.members[name] = next
		}
		node = next
	}
	if strings.Contains(path, ".") {
		n.members[path] = node
	}
	return node
}

func (p *jsonParser) parse(line []byte, e *Entry) problem {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return "no JSON object"
	}
	if !json.Valid(line) {
		return "no valid JSON"
	}
	return p.scan(line).entry(p.clock, e)
}

// scan returns what is wanted of a line that is a JSON object.
func (p *jsonParser) scan(line []byte) *parts {
	s := &p.scanner
	s.rest, s.found = line, parts{}
	s.object(p.wanted)
	return &s.found
}

// A jsonScanner goes through a line that is known to be valid JSON.
type jsonScanner struct {
	rest  []byte
	found parts
	lower [128]byte
}

// object goes through an object, and takes what is wanted of it.
func (s *jsonScanner) object(n *jsonNode) {
	s.rest = s.rest[1:]
	for {
		s.skipTo('"', '}')
		if s.rest[0] == '}' {
			s.rest = s.rest[1:]
			return
		}
		member := n.members[string(s.fold(s.text()))]
		s.skipBlanks(':')
		s.value(member)
	}
}

// value takes the next value if a node wants it.
func (s *jsonScanner) value(n *jsonNode) {
	switch c := s.rest[0]; {
	case n == nil:
		s.skip()
	case c == '{' && n.members != nil:
		s.object(n)
	case c == '[' && len(n.parts) > 0:
		s.first(n)
	case c == '"':
		s.offer(n, s.text())
	case c == '{' || c == '[':
		s.skip()
	default:
		if v := s.skip(); string(v) != "null" {
			s.offer(n, v)
		}
	}
}

// first takes the first element of an array, if it is a text: so some servers
// write header fields.
func (s *jsonScanner) first(n *jsonNode) {
	all := s.skip()
	if inner := bytes.TrimLeft(all[1:], " \t\r\n"); inner[0] == '"' {
		behind := s.rest
		s.rest = inner
		s.offer(n, s.text())
		s.rest = behind
	}
}

func (s *jsonScanner) offer(n *jsonNode, value []byte) {
	for _, p := range n.parts {
		s.found.offer(p.part, p.rank, value)
	}
}

// text returns the string that comes next, and goes behind it.
func (s *jsonScanner) text() []byte {
	end := endOfString(s.rest)
	raw := s.rest[:end]
	s.rest = s.rest[end:]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var text string
	_ = json.Unmarshal(raw, &text) // it is valid
	return []byte(text)
}

// endOfString returns the index behind the string that b begins with.
func endOfString(b []byte) int {
	for i := 1; ; i++ {
		i += bytes.IndexByte(b[i:], '"')
		if !escaped(b[1:i]) {
			return i + 1
		}
	}
}

// skip goes behind the next value, and returns it.
func (s *jsonScanner) skip() []byte {
	var end int
	switch s.rest[0] {
	case '"':
		end = endOfString(s.rest)
	case '{', '[':
		end = endOfNested(s.rest)
	default:
		end = bytes.IndexAny(s.rest, ",]} \t\r\n") // an object is around it
	}
	value := s.rest[:end]
	s.rest = s.rest[end:]
	return value
}

// endOfNested returns the index behind the object or array that b begins with.
func endOfNested(b []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch b[i] {
		case '"':
			i += endOfString(b[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// skipTo goes to the next of two bytes.
func (s *jsonScanner) skipTo(one, other byte) {
	for s.rest[0] != one && s.rest[0] != other {
		s.rest = s.rest[1:]
	}
}

// skipBlanks goes behind blanks and the separator.
func (s *jsonScanner) skipBlanks(separator byte) {
	for s.rest[0] == separator || s.rest[0] <= ' ' {
		s.rest = s.rest[1:]
	}
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

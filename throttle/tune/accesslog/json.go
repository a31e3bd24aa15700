package accesslog

import (
	"bytes"
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
	if !p.scanner.scan(line, p.wanted) {
		return "no valid JSON"
	}
	return p.scanner.found.entry(p.clock, e)
}

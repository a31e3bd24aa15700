package accesslog

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

// A csvParser reads lines of RFC 4180, with any of several separators. A field
// with a line break in it is not read.
//
// The first line is the header, unless there is an instant in it. Without a
// header that instant is in the column of the time, and the client in the one
// behind it, if the options do not say otherwise.
type csvParser struct {
	options   *Options
	clock     clock
	separator byte
	columns   [][]partIndex // of each column, what it is; nil before the first line
	fields    [][]byte
	found     parts
	unusable  problem // with the header, and so with every line
}

func newCSVParser(o *Options, first []byte) *csvParser {
	return &csvParser{options: o, clock: o.clock(), separator: separatorOf(first)}
}

const separators = ",;\t|"

// separatorOf returns the separator that occurs most often.
func separatorOf(line []byte) byte {
	best := byte(',')
	for i := range len(separators) {
		if c := separators[i : i+1]; bytes.Count(line, []byte(c)) > bytes.Count(line, []byte{best}) {
			best = c[0]
		}
	}
	return best
}

func (p *csvParser) parse(line []byte, e *Entry) problem {
	if line[0] == '#' {
		return notAnEntry
	}
	if !p.split(line) {
		return "no end of a quoted field"
	}
	if p.columns == nil && p.begin() {
		return cmp.Or(p.unusable, notAnEntry)
	}
	if p.unusable != "" {
		return p.unusable
	}
	p.found = parts{}
	for i, field := range p.fields {
		if i == len(p.columns) {
			break
		}
		for _, c := range p.columns[i] {
			if len(field) > 0 {
				p.found.offer(c.part, c.rank, field)
			}
		}
	}
	return p.found.entry(p.clock, e)
}

// begin looks at the first line. It reports whether that is a header.
func (p *csvParser) begin() bool {
	at := p.firstInstant()
	p.columns = make([][]partIndex, len(p.fields))
	if at < 0 {
		p.readHeader()
	} else {
		p.guess(at)
	}
	p.number()
	for _, column := range p.columns {
		for _, c := range column {
			if c.part == partTime {
				return at < 0
			}
		}
	}
	p.unusable = p.options.missing(p.header())
	return at < 0
}

// firstInstant returns the column with the first instant, -1 if there is none.
// One that is only a number may be something else.
func (p *csvParser) firstInstant() int {
	first := -1
	for i, field := range p.fields {
		if p.clock.read(field, new(Entry)) != "" {
			continue
		}
		if _, err := strconv.ParseFloat(string(bytes.TrimSpace(field)), 64); err != nil {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// header returns the names of the columns.
func (p *csvParser) header() (names []string) {
	for _, field := range p.fields {
		names = append(names, strings.ToLower(string(bytes.TrimSpace(field))))
	}
	return names
}

func (p *csvParser) readHeader() {
	for i, name := range p.header() {
		p.columns[i] = p.options.indexOf(name)
	}
}

// guess is for a log without a header, with an instant in a column.
func (p *csvParser) guess(at int) {
	if _, said := p.options.Fields[Time]; !said {
		p.columns[at] = []partIndex{{part: partTime}}
	}
	if _, said := p.options.Fields[Client]; !said && at+1 < len(p.columns) {
		p.columns[at+1] = []partIndex{{part: partClient}}
	}
}

// number is for columns that the options know by their numbers.
func (p *csvParser) number() {
	for i, part := range allParts {
		n, err := strconv.Atoi(p.options.Fields[part])
		if err == nil && n >= 1 && n <= len(p.columns) {
			p.columns[n-1] = append(p.columns[n-1], partIndex{part: i})
		}
	}
}

// split cuts a line into fields. It reports whether it is whole.
func (p *csvParser) split(line []byte) bool {
	p.fields = p.fields[:0]
	for {
		field, rest, more, ok := p.cut(line)
		if !ok {
			return false
		}
		p.fields = append(p.fields, field)
		if !more {
			return true
		}
		line = rest
	}
}

// cut returns the first field of a line, and whether there are more.
func (p *csvParser) cut(line []byte) (field, rest []byte, more, ok bool) {
	if len(line) == 0 || line[0] != '"' {
		if i := bytes.IndexByte(line, p.separator); i >= 0 {
			return line[:i], line[i+1:], true, true
		}
		return line, nil, false, true
	}
	end := endOfQuoted(line)
	if end < 0 {
		return nil, nil, false, false
	}
	field = line[1:end]
	if bytes.IndexByte(field, '"') >= 0 {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	rest = line[end+1:]
	if len(rest) == 0 {
		return field, nil, false, true
	}
	return field, rest[1:], true, rest[0] == p.separator
}

// endOfQuoted returns the index of the mark that ends the field, -1 if there is
// none.
func endOfQuoted(b []byte) int {
	for i := 1; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		if i+1 == len(b) || b[i+1] != '"' {
			return i
		}
		i++
	}
	return -1
}

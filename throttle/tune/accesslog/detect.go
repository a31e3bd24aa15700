package accesslog

import (
	"bytes"
	"encoding/json"
)

// sampled is how many lines are looked at to find out about the format.
const sampled = 20

// detect returns the format that fits most of the first lines, Auto if there is
// none.
func (o *Options) detect(start []byte) Format {
	if isHAR(start) {
		return HAR
	}
	best, most := Auto, 0
	if first := bytes.TrimSpace(firstLine(start)); json.Valid(first) && first[0] == '{' {
		return JSON // even if nobody knows its fields: then each line says so
	}
	for _, format := range []Format{Common, CSV, Plain} {
		if n := o.fits(format, start); n > most {
			best, most = format, n
		}
	}
	return best
}

// isHAR reports whether a JSON object begins in which there is an object log.
func isHAR(start []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(start))
	for _, want := range []json.Token{json.Delim('{'), "log", json.Delim('{')} {
		if token, err := decoder.Token(); err != nil || token != want {
			return false
		}
	}
	return true
}

// fits counts the first lines that are calls in this format.
func (o *Options) fits(format Format, start []byte) (n int) {
	p := o.parser(format, firstLine(start))
	if c, ok := p.(*csvParser); ok && !c.isLikely(start) {
		return 0
	}
	for range sampled {
		line, rest, found := bytes.Cut(start, []byte("\n"))
		if !found && len(start) == maxLine {
			break // the buffer ends within the line
		}
		line = trimEnd(line)
		if len(bytes.TrimSpace(line)) > 0 && p.parse(line, new(Entry)) == "" {
			n++
		}
		if start = rest; !found {
			break
		}
	}
	return n
}

// isLikely reports whether the first line is a header, or has several columns:
// an instant alone is a plain one.
func (p *csvParser) isLikely(start []byte) bool {
	line := firstLine(start)
	if len(line) == 0 || line[0] == '#' || !p.split(line) {
		return false
	}
	at := p.firstInstant()
	if at == 0 && p.separator == ',' && len(p.fields) > 1 {
		decimals, rest := plainWord(p.fields[1])
		_, ok := digits(decimals)
		return !ok || len(decimals) != 3 || len(rest) == 0 // else it is 13:55:36,123 and more
	}
	return len(p.fields) > 1 || at < 0
}

func firstLine(start []byte) []byte {
	for line := range bytes.Lines(start) {
		if len(bytes.TrimSpace(line)) > 0 {
			return trimEnd(line)
		}
	}
	return nil
}

// parser returns the parser of a format. A log that is empty as far as its first
// lines go is read as if it were plain.
func (o *Options) parser(format Format, first []byte) parser {
	switch format {
	case Common:
		return &commonParser{o.clock()}
	case JSON:
		return newJSONParser(o)
	case CSV:
		return newCSVParser(o, first)
	}
	return &plainParser{o.clock()}
}

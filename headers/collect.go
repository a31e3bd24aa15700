package headers

import "strings"

// A field is a header field that says something about limits.
type field struct {
	name  string
	lines []string
	*class
}

// An origin is what a response says about itself.
type origin struct {
	date   string // the server's clock
	cached bool
	global Opt[bool]
}

// sift moves the last field to its place among the sorted ones before it: their
// order must not depend on that of the map, nor on the case of the names.
func sift(fields []field) {
	for i := len(fields) - 1; i > 0 && i < maxFields && before(fields[i].name, fields[i-1].name); i-- {
		fields[i], fields[i-1] = fields[i-1], fields[i]
	}
}

// before reports whether a sorts before b; case decides only between equals.
func before(a, b string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if x, y := lowerByte(a[i]), lowerByte(b[i]); x != y {
			return x < y
		}
	}
	return len(a) < len(b) || len(a) == len(b) && a < b
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// take notes what changes the meaning of other fields: the server's clock, and
// whether the answer is an old one.
func (from *origin) take(c *class, v string) {
	v = trim(v)
	switch c.label {
	case "date":
		from.date = max(from.date, v) // should there be two, whatever their order
	case "age":
		n, ok := readNumber(v)
		from.cached = from.cached || ok && (n.whole > 0 || n.nano > 0)
	default: // X-From-Cache, by which Go's caching transports mark an answer
		from.cached = from.cached || v == "1" || strings.EqualFold(v, "true")
	}
}

// tellsReach reports whether a field says whom a refusal concerns: those of
// Discord and Riot do.
func tellsReach(lower string) bool {
	switch lower {
	case "x-ratelimit-global", "x-ratelimit-scope", "x-rate-limit-scope", "x-rate-limit-type":
		return true
	}
	return false
}

// takeReach reads such a field. That everybody is concerned counts more.
func (from *origin) takeReach(v string) {
	switch strings.ToLower(trim(v)) {
	case "true", "1", "global", "application", "service":
		from.global = Some(true)
	case "user", "shared", "method":
		from.global = Some(from.global.V)
	}
}

package accesslog

import (
	"bytes"
	"math"
	"strconv"
)

// A plainParser reads an instant a line, and behind it, if it is there, the
// client, and then either the class of the call, or its method and path:
//
//	1700000000.25 alice GET /widgets
//
// The date and the time of an instant may be two words, and a number may have a
// cost behind a colon, as in 12.5:3.
type plainParser struct{ clock clock }

func (p *plainParser) parse(line []byte, e *Entry) problem {
	if line[0] == '#' {
		return notAnEntry
	}
	at, rest := plainWord(line)
	if len(at) == 10 && (at[4] == '-' || at[4] == '/') && at[7] == at[4] {
		_, rest = plainWord(rest)
		at = bytes.TrimSpace(line[:len(line)-len(rest)])
	}
	at, cost, found := cutCost(at)
	if found {
		n, err := strconv.ParseInt(string(cost), 10, 64)
		if err != nil || n < 1 || n > math.MaxInt32 {
			return "a cost that is no whole number from 1 to 2147483647"
		}
		e.Cost = n
	}
	if bad := p.clock.read(at, e); bad != "" {
		return bad
	}
	client, rest := plainWord(rest)
	e.Client = known(client)
	first, rest := plainWord(rest)
	if second, _ := plainWord(rest); len(second) > 0 && isMethod(first) {
		e.Method = known(first)
		e.setTarget(known(second))
	} else {
		e.Class = known(first)
	}
	return ""
}

// cutCost splits 12.5:3; there is no other number with a colon.
func cutCost(at []byte) (number, cost []byte, found bool) {
	if i := bytes.IndexByte(at, ':'); i >= 0 && !bytes.ContainsAny(at, "-/") {
		return at[:i], at[i+1:], true
	}
	return at, nil, false
}

// plainWord returns the bytes up to the next white space, and those behind it.
func plainWord(b []byte) (first, rest []byte) {
	b = bytes.TrimLeft(b, " \t")
	if i := bytes.IndexAny(b, " \t"); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

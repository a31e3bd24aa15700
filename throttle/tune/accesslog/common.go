package accesslog

import (
	"bytes"
)

// A commonParser reads the Common and the Combined Log Format:
//
//	host ident user [time] "request" status bytes "referer" "agent"
//
// The host may stand behind the name and port of a virtual host, and before those
// of proxies, each behind a comma. What syslog puts in front of it, up to the name
// of the program and a colon, and what comes after the agent is passed over.
type commonParser struct{ clock clock }

func (p *commonParser) parse(line []byte, e *Entry) problem {
	who, rest, found := bytes.Cut(line, []byte(" ["))
	if !found {
		return "no [time]"
	}
	at, rest, found := bytes.Cut(rest, []byte("]"))
	if !found {
		return "no end of [time]"
	}
	if bad := p.clock.read(at, e); bad != "" {
		return bad
	}
	if bad := setWho(who, e); bad != "" {
		return bad
	}
	request, rest, found := quoted(rest)
	if !found {
		return "no \"request\""
	}
	e.setRequest(request)
	status, rest := word(rest)
	n, ok := digits(status)
	if !ok || len(status) != 3 {
		return "no status of three digits"
	}
	e.Status = n
	_, rest = word(rest) // the length
	_, rest, _ = quoted(rest)
	agent, _, _ := quoted(rest)
	e.Agent = known(agent)
	return ""
}

// setWho reads host, ident and user, of which the last may have blanks.
func setWho(who []byte, e *Entry) problem {
	if i := bytes.LastIndex(who, []byte(": ")); i > 0 && who[i-1] != ':' { // as fe80:: ends
		who = who[i+2:]
	}
	first, rest := word(who)
	if second, behind := word(rest); isVirtualHost(first) && isAddress(second) {
		e.Host, first, rest = first, second, behind
	}
	e.Client, _, _ = bytes.Cut(first, comma)
	e.Client = withoutPort(e.Client)
	for bytes.HasSuffix(first, comma) {
		first, rest = word(rest)
	}
	if len(e.Client) == 0 {
		return "no host"
	}
	_, user := word(rest) // behind ident
	if user = bytes.TrimSpace(user); string(user) != `""` {
		e.User = known(user)
	}
	return ""
}

var comma = []byte(",")

// isVirtualHost reports whether it is a name and a port.
func isVirtualHost(b []byte) bool {
	colon := bytes.LastIndexByte(b, ':')
	if colon <= 0 || colon == len(b)-1 {
		return false
	}
	_, ok := digits(b[colon+1:])
	return ok
}

// withoutPort returns an address without the port that some servers write behind
// it, as 10.0.0.1:5000 or [::1]:5000: each connection has another.
func withoutPort(client []byte) []byte {
	i := bytes.LastIndexByte(client, ':')
	if i <= 0 || !isVirtualHost(client) {
		return client
	}
	host := client[:i]
	switch {
	case host[0] == '[' && host[i-1] == ']':
		return host[1 : i-1]
	case bytes.IndexByte(host, '.') > 0 && len(bytes.Trim(host, "0123456789.")) == 0:
		return host
	}
	return client
}

// isAddress reports whether it may be a host, where otherwise "-" or a name of
// the ident protocol stands.
func isAddress(b []byte) bool {
	return bytes.IndexByte(b, '.') > 0 || bytes.IndexByte(b, ':') >= 0
}

// word returns the bytes up to the next blank, and those behind it.
func word(b []byte) (first, rest []byte) {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// quoted returns what stands between quotation marks, with its escapes as they
// are.
func quoted(b []byte) (text, rest []byte, found bool) {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if len(b) == 0 || b[0] != '"' {
		return nil, b, false
	}
	b = b[1:]
	for i := 0; ; {
		end := bytes.IndexByte(b[i:], '"')
		if end < 0 {
			return nil, nil, false
		}
		i += end
		if !escaped(b[:i]) {
			return b[:i], b[i+1:], true
		}
		i++
	}
}

// escaped reports whether an odd number of backslashes is at the end.
func escaped(b []byte) bool {
	n := len(b)
	for n > 0 && b[n-1] == '\\' {
		n--
	}
	return (len(b)-n)%2 == 1
}

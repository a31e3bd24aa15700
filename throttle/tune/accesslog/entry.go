package accesslog

import (
	"bytes"
	"time"
)

// An Entry is one call. Its bytes are valid until the next one is read.
type Entry struct {
	At     time.Time // when the client made it, or would have if nothing had held it back
	Client []byte    // the address, or what stands in the field that was asked for; empty if unknown
	User   []byte    // who has logged in; empty if nobody
	Host   []byte    // that was called; empty if unknown
	Method []byte    // empty if unknown
	Path   []byte    // without the query; empty if unknown
	Class  []byte    // what the log itself calls this kind of call; empty if nothing
	Agent  []byte    // of the header field User-Agent; empty if unknown
	Status int       // of the answer; 0 if unknown
	Cost   int64     // how much of a limit it uses, at least 1
	Whole  bool      // At is in whole seconds, since the log has no finer ones

	// Dropped is how many lines before this one are missing, because whoever wrote
	// the log could not write them.
	Dropped int

	// Repeated says that the client had made the call before, and made it again
	// because of the answer.
	Repeated bool
}

// setRequest reads the first line of a request, such as "GET /a?b HTTP/1.1".
// Servers log what clients sent them, so it may be anything.
func (e *Entry) setRequest(line []byte) {
	method, rest, found := bytes.Cut(line, []byte(" "))
	if !found || !isMethod(method) {
		return
	}
	target, _, _ := bytes.Cut(rest, []byte(" "))
	e.Method = method
	e.setTarget(target)
}

func isMethod(b []byte) bool {
	for _, c := range b {
		if (c < 'A' || c > 'Z') && c != '-' {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 20
}

// setTarget reads a path, or a URL with a scheme.
func (e *Entry) setTarget(target []byte) {
	if i := bytes.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	i := bytes.Index(target, []byte("://"))
	if i < 0 || target[0] == '/' {
		e.Path = target
		return
	}
	host, path := target[i+3:], []byte("/")
	if slash := bytes.IndexByte(host, '/'); slash >= 0 {
		host, path = host[:slash], host[slash:]
	}
	e.Host = host[bytes.LastIndexByte(host, '@')+1:]
	e.Path = path
}

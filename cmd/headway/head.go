package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// How much is read of heads, and what one line may have.
const (
	maxHeads = 1 << 20
	maxLine  = 64 << 10
)

// A head is the head of one response.
type head struct {
	status int // 0 if there was no status line
	header http.Header
}

// A lineError says what is wrong with one line.
type lineError struct {
	line    int
	problem string
}

func (e *lineError) Error() string { return "line " + strconv.Itoa(e.line) + ": " + e.problem }

// readHeads reads the heads at the start of r, as curl -i prints them: a status
// line if there is one, and header lines. After an empty line comes the next
// head, if what follows begins with a status line, or a body, which is not
// read. The error is a *lineError, or that of r.
func readHeads(r *bufio.Reader) ([]head, error) {
	lines := &lineReader{r: r}
	if err := lines.skipBlank(); err != nil {
		return nil, err
	}
	var heads []head
	for {
		h, err := lines.head()
		if err != nil {
			return nil, err
		}
		heads = append(heads, h)
		// What is no status line, or too long for one, is the body.
		next, _ := r.Peek(len("HTTP/1.1 200 "))
		if _, ok := parseStatus(string(next)); !ok {
			return heads, nil
		}
	}
}

// A lineReader reads lines, and counts them.
type lineReader struct {
	r     *bufio.Reader
	line  int // the number of the last one
	total int // bytes so far
}

func (l *lineReader) fail(problem string) error { return &lineError{max(1, l.line), problem} }

// next returns a line without its end. At the end of the input it returns
// io.EOF and no line.
func (l *lineReader) next() (string, error) {
	raw, err := l.r.ReadSlice('\n')
	l.total += len(raw)
	if len(raw) > 0 {
		l.line++
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", l.fail("longer than 64 KiB")
	case l.total > maxHeads:
		return "", l.fail("the heads are longer than 1 MiB")
	case errors.Is(err, io.EOF) && len(raw) > 0:
	case err != nil:
		return "", err
	}
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	return string(bytes.TrimSuffix(raw, []byte("\r"))), nil
}

// skipBlank skips empty lines, and the byte order mark of some editors.
func (l *lineReader) skipBlank() error {
	if mark, _ := l.r.Peek(3); string(mark) == "\ufeff" {
		_, _ = l.r.Discard(len(mark)) // they are in the buffer
	}
	for {
		next, err := l.r.Peek(1)
		if errors.Is(err, io.EOF) {
			return l.fail("empty: there is no response head")
		}
		if err != nil {
			return err
		}
		if next[0] != '\n' && next[0] != '\r' {
			return nil
		}
		if _, err := l.next(); err != nil {
			return err
		}
	}
}

// head reads up to the empty line, or the end of the input.
func (l *lineReader) head() (head, error) {
	h := head{header: http.Header{}}
	last := "" // the name of the last field
	for n := 0; ; n++ {
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF) || err == nil && line == "":
			return h, nil
		case err != nil:
			return head{}, err
		case n == 0 && strings.HasPrefix(line, "HTTP/"):
			status, ok := parseStatus(line)
			if !ok {
				return head{}, l.fail("not a status line, as HTTP/1.1 200 OK")
			}
			h.status = status
			continue
		case last != "" && (line[0] == ' ' || line[0] == '\t'):
			if err := l.fold(h.header[last], line); err != nil {
				return head{}, err
			}
			continue
		}
		if last, err = l.field(&h, line); err != nil {
			return head{}, err
		}
	}
}

// parseStatus reads a status line. The version is a digit, or two with a dot.
func parseStatus(line string) (status int, ok bool) {
	version, rest, _ := strings.Cut(line, " ")
	major, minor, dotted := strings.Cut(strings.TrimPrefix(version, "HTTP/"), ".")
	if !strings.HasPrefix(version, "HTTP/") || !isDigit(major) || dotted && !isDigit(minor) {
		return 0, false
	}
	rest = strings.TrimLeft(rest, " ")
	if len(rest) > 3 && rest[3] > ' ' || len(rest) < 3 {
		return 0, false
	}
	return parseCode(rest[:3])
}

func isDigit(s string) bool { return len(s) == 1 && s[0] >= '0' && s[0] <= '9' }

func parseCode(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && len(s) == 3 && n >= 100
}

// field reads a header line, and returns the name in its usual form. A line
// ":status: 200", as browsers show HTTP/2, is as good as a status line.
func (l *lineReader) field(h *head, line string) (string, error) {
	name, value, found := strings.Cut(line, ":")
	if found && name == "" && h.status == 0 && len(h.header) == 0 {
		if text, ok := strings.CutPrefix(value, "status:"); ok {
			if h.status, ok = parseCode(strings.TrimSpace(text)); ok {
				return "", nil
			}
		}
	}
	if !found || !isToken(name) {
		return "", l.fail("neither a status line nor a header field (Name: value): this is no HTTP response head")
	}
	if !isText(value) {
		return "", l.fail("the value of the header field has control characters: this is no HTTP response head")
	}
	name = textproto.CanonicalMIMEHeaderKey(name)
	h.header[name] = append(h.header[name], strings.Trim(value, " \t"))
	return name, nil
}

// fold adds a line that continues the one before it, as HTTP/1.1 once had it.
func (l *lineReader) fold(values []string, line string) error {
	if !isText(line) {
		return l.fail("the header field has control characters: this is no HTTP response head")
	}
	v, more := &values[len(values)-1], strings.Trim(line, " \t")
	switch {
	case len(*v)+len(more) >= maxLine:
		return l.fail("the header field is longer than 64 KiB")
	case *v == "":
		*v = more
	case more != "":
		*v += " " + more
	}
	return nil
}

// isToken reports whether s may be the name of a field (RFC 9110, 5.6.2).
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		return !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	}) < 0
}

// isText reports whether s may be the value of a field; bytes above 127 may.
func isText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func parseHeads(text string) ([]head, error) {
	return readHeads(bufio.NewReaderSize(strings.NewReader(text), maxLine))
}

func TestReadHeads(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []head
	}{
		{"full", "HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\nbody: 3\r\n", []head{{200, http.Header{"A": {"1"}, "B": {"2"}}}}},
		{"lines only", "a: 1\nb: 2", []head{{0, http.Header{"A": {"1"}, "B": {"2"}}}}},
		{"status only", "HTTP/2 204 \n", []head{{204, http.Header{}}}},
		{"no reason", "HTTP/1.0 404\n\n", []head{{404, http.Header{}}}},
		{"pseudo field", ":status: 429\nretry-after: 1\n", []head{{429, http.Header{"Retry-After": {"1"}}}}},
		{"repeated", "A: 1\na: 2\n", []head{{0, http.Header{"A": {"1", "2"}}}}},
		{"folded", "A: 1\n 2\n\t3\n \nB:\n 4\n", []head{{0, http.Header{"A": {"1 2 3"}, "B": {"4"}}}}},
		{"white space", "A: \t 1 \t\nB:2\nC:\n", []head{{0, http.Header{"A": {"1"}, "B": {"2"}, "C": {""}}}}},
		{"other scripts", "A: ü\nB: \xff\n", []head{{0, http.Header{"A": {"ü"}, "B": {"\xff"}}}}},
		{"byte order mark", "\ufeff\n\nA: 1\n", []head{{0, http.Header{"A": {"1"}}}}},
		{"colon in the value", "A: b:c\n", []head{{0, http.Header{"A": {"b:c"}}}}},
		{"continue", "HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\nA: 1\n\nbody", []head{{100, http.Header{}}, {200, http.Header{"A": {"1"}}}}},
		{"redirects", "HTTP/1.1 301 Moved\nLocation: /a\n\nHTTP/2 302\nLocation: /b\n\nHTTP/2 200\nA: 1\n\n",
			[]head{{301, http.Header{"Location": {"/a"}}}, {302, http.Header{"Location": {"/b"}}}, {200, http.Header{"A": {"1"}}}}},
		{"body like a head", "HTTP/1.1 200 OK\n\nHTTP/1.1 is old\n", []head{{200, http.Header{}}}},
		{"body of one line", "HTTP/1.1 200 OK\n\n" + strings.Repeat("x", 2*maxHeads), []head{{200, http.Header{}}}},
		{"line of 64 KiB", "A: " + strings.Repeat("x", maxLine-4) + "\n", []head{{0, http.Header{"A": {strings.Repeat("x", maxLine-4)}}}}},
	} {
		got, err := parseHeads(tt.text)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: readHeads(%.80q) = %.200v, %v, want %.200v", tt.name, tt.text, got, err, tt.want)
		}
	}
}

func TestParseStatus(t *testing.T) {
	for _, line := range []string{"", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 099", "HTTP/1.1 2x0",
		"HTTP/1.1 +20", "HTTP/11 200", "HTTP/1. 200", "HTTP/x 200", "HTTP 200", "http/1.1 200", "ICY 200 OK"} {
		if status, ok := parseStatus(line); ok {
			t.Errorf("parseStatus(%q) = %d, want none", line, status)
		}
	}
}

// Whatever the input, there is an error that names a line, or there are heads
// that are read the same once more.
func FuzzReadHeads(f *testing.F) {
	for _, seed := range []string{
		"", "\r\n", "HTTP/1.1 200 OK\r\nA: 1\r\n\r\nbody", "HTTP/2 429\nretry-after: 1", ":status: 200\na: b", "A: 1\n 2\n",
		"HTTP/1.1 100 Continue\n\nHTTP/1.1 301 x\nLocation: /\n\nHTTP/1.1 200 OK\nA: 1\n\n", "A: \x00", "\ufeffA: 1", "{}", "HTTP/1.1 200 OK\n\nHTTP/1.1 x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		heads, err := parseHeads(text)
		if err != nil {
			if bad, ok := errors.AsType[*lineError](err); !ok || bad.line < 1 || bad.line > strings.Count(text, "\n")+1 {
				t.Fatalf("readHeads(%q): %v", text, err)
			}
			return
		}
		again, err := parseHeads(render(t, heads))
		if err != nil || !reflect.DeepEqual(again, heads) {
			t.Fatalf("readHeads(%q) = %v, and rendered %v, %v", text, heads, again, err)
		}
	})
}

// render writes heads as a server would. A status line that was missing is that
// of the first head alone, and stays missing.
func render(t *testing.T, heads []head) string {
	var b strings.Builder
	for i, h := range heads {
		if h.status < 0 || h.status > 999 || h.status == 0 && i > 0 {
			t.Fatalf("head %d has status %d", i, h.status)
		}
		if h.status > 0 {
			fmt.Fprintf(&b, "HTTP/1.1 %d Reason\r\n", h.status)
		}
		for name, values := range h.header {
			for _, v := range values {
				fmt.Fprintf(&b, "%s: %s\r\n", name, v)
			}
		}
		b.WriteString("\r\n")
	}
	return b.String()
}

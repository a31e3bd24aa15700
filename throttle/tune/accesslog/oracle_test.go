package accesslog

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzReader feeds any log. Whatever is in it, each line is a call, a bad line,
// blank, a comment or a header, and a call is one that can be worked with.
func FuzzReader(f *testing.F) {
	for _, log := range []string{
		"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a?c HTTP/1.0\" 200 2326 \"-\" \"x\"\n",
		"x.org:443 ::1 - - [10/Oct/2000:13:55:36] \"\\\" 200\n",
		"{\"time\":1,\"request\":{\"headers\":{\"User-Agent\":[\"a\"]}}}\n{\"time\":\"\\u0031\"}",
		"{\"log\":{\"entries\":[{\"startedDateTime\":\"2026-01-01T00:00:00Z\",\"request\":{\"url\":\"a://b@c/d\"}}]}}",
		"time,client\n1,\"a\"\"b\"\n2,\n", "1;a\n2;b", "1\n2:3 a b\n# x\n\n2026-01-01 00:00:00,5 GET http:// x",
		"\xef\xbb\xbf1", "\x1f\x8b\x08", "1e9\n-1\n9e99\n.5\n",
	} {
		f.Add([]byte(log), uint8(0))
		f.Add([]byte(log), uint8(3))
	}
	f.Fuzz(func(t *testing.T, log []byte, format uint8) {
		r, err := NewReader("", bytes.NewReader(log), Options{Format: Format(format % uint8(len(formatNames)))})
		if err != nil {
			return
		}
		calls := int64(0)
		for {
			e, err := r.Next()
			if err != nil {
				break
			}
			calls++
			check(t, e)
		}
		tally := r.Tally()
		if tally.Calls != calls || len(tally.First) != int(min(tally.Bad, firstBad)) {
			t.Errorf("%d calls: %+v", calls, tally)
		}
		if lines := int64(bytes.Count(log, []byte("\n")) + 1); r.har == nil && !bytes.HasPrefix(log, []byte("\x1f\x8b")) && calls+tally.Bad > lines {
			t.Errorf("%d lines: %+v", lines, tally)
		}
	})
}

func check(t *testing.T, e *Entry) {
	t.Helper()
	if y := e.At.Year(); y < 1970 || y > 2200 || e.At.Location() != time.UTC {
		t.Errorf("at %v", e.At)
	}
	if e.Cost < 1 || e.Status < 0 || e.Status > 999 {
		t.Errorf("cost %d, status %d", e.Cost, e.Status)
	}
	if bytes.ContainsAny(e.Path, "?#") {
		t.Errorf("path %q", e.Path)
	}
}

// FuzzJSON compares what the scanner finds with what encoding/json does.
func FuzzJSON(f *testing.F) {
	for _, line := range []string{
		`{"time":1,"a":{"b":"x","c":[1,"]",{"d":"}"}]},"status":"200"}`,
		`{"a":{"b":null},"TIME":"1","path":"\"\\","cost":2,"client":["y","z"],"class":[3]}`,
		`{ "time" : 1.5e9 , "a.b" : true , "a" : { "b" : false } , "user" : "é\ud83d\ude00\ud800" }`, `{}`, `{"time":[]}`, `{"":{"":1}}`,
	} {
		f.Add([]byte(line))
	}
	o := Options{Fields: map[Part]string{Time: "time", Client: "a.b", User: "user", Path: "path", Class: "class", Status: "status"}}
	p := newJSONParser(&o)
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] != '{' {
			return
		}
		if got, want := p.scanner.scan(line, p.wanted), json.Valid(line); got != want && bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) < maxDepth {
			t.Errorf("%s: valid %t, want %t", line, got, want)
		}
		got := p.scanner.found
		var object map[string]any
		valid := utf8.Valid(line) && json.Unmarshal(line, &object) == nil && object != nil
		if !valid || ambiguous(object) {
			return
		}
		for i, part := range allParts {
			name, asked := o.Fields[part]
			if !asked || name == "a.b" {
				continue
			}
			want, found := plainValue(object[strings.ToLower(name)])
			if got[i].ok != found || found && string(got[i].value) != want && !isNumber(object[name]) {
				t.Errorf("%s: %s is %q, %t; want %q, %t", line, part, got[i].value, got[i].ok, want, found)
			}
		}
	})
}

// ambiguous reports whether a name occurs in several spellings.
func ambiguous(object map[string]any) bool {
	seen := map[string]bool{}
	for name := range object {
		lower := strings.ToLower(name)
		if seen[lower] || lower != name {
			return true
		}
		seen[lower] = true
	}
	return false
}

// plainValue is what the scanner takes of a value.
func plainValue(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		text, _ := json.Marshal(v)
		return string(text), true
	case float64:
		return "", true
	case []any:
		if len(v) > 0 {
			if text, ok := v[0].(string); ok {
				return text, true
			}
		}
	}
	return "", false
}

func isNumber(v any) bool { _, ok := v.(float64); return ok }

// FuzzCSV compares the fields with those that encoding/csv finds.
func FuzzCSV(f *testing.F) {
	for _, line := range []string{`a,b,c`, `"a","b,c",""`, `"a""b"`, `,`, `"`, `"a"b`, `a"b,c`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") || line == "" || !utf8.ValidString(line) {
			return
		}
		p := &csvParser{separator: ','}
		whole := p.split([]byte(line))
		r := csv.NewReader(strings.NewReader(line))
		r.LazyQuotes = !strings.HasPrefix(line, `"`) && !strings.Contains(line, `,"`) // a mark within a field is one
		want, err := r.Read()
		if err != nil && !errors.Is(err, io.EOF) {
			return // what is right here is not said anywhere
		}
		got := make([]string, len(p.fields))
		for i, field := range p.fields {
			got[i] = string(field)
		}
		if !whole || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %t; want %q", line, got, whole, want)
		}
	})
}

// FuzzInstant compares with package time wherever that reads the same form.
func FuzzInstant(f *testing.F) {
	for _, at := range []string{
		"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789+05:30", "02/Jan/2026:03:04:05 -0700", "2026-02-30T00:00:00Z",
		"2026-12-31T23:59:60Z", "1700000000.5", "0", "1969-12-31T23:59:59Z", "2199-12-31T23:59:59Z", "99999999999999999999",
	} {
		f.Add(at)
	}
	f.Fuzz(func(t *testing.T, at string) {
		var o Options
		var e Entry
		bad := o.clock().read([]byte(at), &e)
		if bad == "" {
			e.Cost = 1
			check(t, &e)
		}
		for _, layout := range []string{time.RFC3339Nano, "02/Jan/2006:15:04:05 -0700"} {
			want, err := time.Parse(layout, at)
			if err != nil || want.Year() < 1971 || want.Year() > 2198 || bad != "" && want.Format(layout) != at {
				continue // it is far away, or package time is lenient
			}
			if bad != "" || !e.At.Equal(want) {
				t.Errorf("%q: %v, %q; want %v", at, e.At, bad, want)
			}
		}
	})
}

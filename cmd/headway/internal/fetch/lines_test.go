package fetch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func openLines(t *testing.T, name string) *Lines {
	t.Helper()
	l, err := OpenLines(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestLine(t *testing.T) {
	for _, tt := range []struct{ kind, body, want string }{
		{"text/plain", "a<b>\n\"c\"", `"type":"text/plain","body":"a<b>\n\"c\""`},
		{"text/plain", "", `"type":"text/plain","body":""`},
		{"application/json", "{\"a\" : 1.50,\n\"b\":[]}", `"type":"application/json","body":{"a":1.50,"b":[]}`},
		{"application/problem+json; charset=utf-8", "null", `"type":"application/problem+json; charset=utf-8","body":null`},
		{"application/json", `{"a":`, `"type":"application/json","body":"{\"a\":"`},
		{"application/json", "\"caf\xe9\"", `"type":"application/json","body_base64":"ImNhZuki"`},
		{"text/plain", `{}`, `"type":"text/plain","body":"{}"`},
		{"image/png", "\x89PNG", `"type":"image/png","body_base64":"iVBORw=="`},
		{"a\xffb;;", "a", `"type":"a�b;;","body":"a"`},
	} {
		var out bytes.Buffer
		a := answer(t, "https://api.test/1?a&b", 200, strings.NewReader(tt.body))
		a.Type = tt.kind
		n, err := StreamLines(&out).Save(a)
		want := `{"url":"https://api.test/1?a&b","status":200,` + tt.want + "}\n"
		if out.String() != want || n != int64(len(tt.body)) || err != nil {
			t.Errorf("%q %q: %d, %v\n%swant\n%s", tt.kind, tt.body, n, err, &out, want)
		}
	}
}

func TestLinesResume(t *testing.T) {
	const whole = `{"url":"https://api.test/1","status":200,"type":"","body":"a"}` + "\n" +
		`{"url":"https://api.test/2","status":404,"type":"","body":"b"}` + "\n"
	long := `{"url":"https://api.test/3","status":200,"type":"","body":"` + strings.Repeat("x", 3*maxHead) + `"}` + "\n"
	for _, tt := range []struct {
		name, torn string
		here       int64
		wrong      int // in which line; 0 is none
	}{
		{"nothing", "", 1, 0},
		{"a long line", long, 2, 0},
		{"a torn line", long[:len(long)-1], 1, 0},
		{"hardly a line", "{", 1, 0},
		{"half a name", `{"ur`, 1, 0},
		{"zeros", "\x00\x00\x00", 1, 0},
		{"zeros and a torn line", "\x00\x00" + long[:50], 1, 0},
		{"another line", "hello", 0, 3},
		{"another whole line", "hello\n", 0, 3},
		{"other JSON", `{"name":"a"}` + "\n", 0, 3},
		{"no status", `{"url":"a","type":200}` + "\n", 0, 3},
		{"a status that is none", `{"url":"a","status":"b"}` + "\n", 0, 3},
		{"a blank line", "\n", 0, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "out.jsonl")
			if err := os.WriteFile(name, []byte(whole+tt.torn), 0o600); err != nil {
				t.Fatal(err)
			}
			l := openLines(t, name)
			p := newPlan(t, "https://api.test/1", "https://api.test/2", "https://api.test/3")
			err := l.Resume(p)
			if wrong, ok := errors.AsType[*LineError](err); ok != (tt.wrong > 0) || ok && wrong.Line != tt.wrong || err != nil && !ok {
				t.Fatalf("%v, want line %d", err, tt.wrong)
			}
			got, _ := os.ReadFile(name)
			if tt.wrong > 0 {
				if string(got) != whole+tt.torn {
					t.Errorf("the file was changed: %q", got)
				}
				return
			}
			if err := p.Begin(); err != nil || p.Here != tt.here {
				t.Errorf("%d are here, %v, want %d", p.Here, err, tt.here)
			}
			if _, err := l.Save(answer(t, "https://api.test/9", 200, strings.NewReader("c"))); err != nil {
				t.Error(err)
			}
			if got, _ = os.ReadFile(name); !bytes.HasPrefix(got, []byte(whole)) || len(jsonLines(t, got)) != int(tt.here)+2 {
				t.Errorf("afterwards: %.300q", got)
			}
		})
	}
}

// The longest URL is found again, though JSON writes two bytes for each of its
// quotation marks.
func TestLinesLongestURL(t *testing.T) {
	const front = "https://api.test/?"
	long := front + strings.Repeat(`"`, maxURL-len(front))
	name := filepath.Join(t.TempDir(), "out.jsonl")
	l := openLines(t, name)
	if _, err := l.Save(answer(t, long, 200, strings.NewReader("a"))); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p := newPlan(t, long)
	if err := openLines(t, name).Resume(p); err != nil {
		t.Fatal(err)
	}
	if err := p.Begin(); err != nil || p.Here != 1 {
		t.Errorf("%d are here, %v, want 1", p.Here, err)
	}
}

// jsonLines are the lines of a file, all of them whole.
func jsonLines(t *testing.T, data []byte) (lines []line) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var l line
		err := d.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if n := bytes.Count(data, []byte("\n")); n != len(lines) {
		t.Errorf("%d answers in %d lines", len(lines), n)
	}
	return lines
}

func TestLinesTogether(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.jsonl")
	l := openLines(t, name)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := l.Save(answer(t, "https://api.test/1", 200, strings.NewReader(strings.Repeat("x", 10_000)))); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := OpenLines(name); !errors.Is(err, ErrBusy) {
		t.Errorf("a second one: %v", err)
	}
	all.Wait()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	data, _ := os.ReadFile(name)
	if n := len(jsonLines(t, data)); n != 20 {
		t.Errorf("%d lines, want 20", n)
	}
}

// A tornWriter writes a half of what it is given, as a disk does that is full.
type tornWriter struct{ w io.Writer }

func (w tornWriter) Write(p []byte) (int, error) {
	n, _ := w.w.Write(p[:len(p)/2])
	return n, errDisk
}

var errDisk = errors.New("no space left on device")

func TestLinesDiskFull(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.jsonl")
	l := openLines(t, name)
	for i, w := range []io.Writer{l.file, tornWriter{l.file}, l.file} {
		l.w = w
		_, err := l.Save(answer(t, "https://api.test/1", 200, strings.NewReader("one")))
		if (err != nil) != (i == 1) {
			t.Errorf("%d: %v", i, err)
		}
	}
	data, _ := os.ReadFile(name)
	if n := len(jsonLines(t, data)); n != 2 {
		t.Errorf("%d lines, want 2: %q", n, data)
	}
}

func TestOpenLinesErrors(t *testing.T) {
	for _, name := range []string{t.TempDir(), os.DevNull} {
		if _, err := OpenLines(name); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}

// Whatever is in a file, a line that is not ours leaves it as it is.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "{", "hello", `{"url":"https://a.test/","status":200}` + "\n", "\n", "\x00", `{"url":"","status":1}` + "\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "out.jsonl")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		l := openLines(t, name)
		p := newPlan(t)
		err := l.Resume(p)
		got, _ := os.ReadFile(name)
		if err != nil && !bytes.Equal(got, data) || err == nil && !bytes.HasPrefix(data, got) {
			t.Errorf("%q became %q: %v", data, got, err)
		}
		if err == nil && len(got) > 0 && got[len(got)-1] != '\n' {
			t.Errorf("%q is left with a torn line: %q", data, got)
		}
	})
}

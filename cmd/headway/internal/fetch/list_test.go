package fetch

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// read returns what ReadList gives to add, and what it calls wrong.
func read(r io.Reader, add func(string) error) (texts []string, wrong string, err error) {
	err = ReadList(r,
		func(text string) error { texts = append(texts, text); return add(text) },
		func(e *LineError) error { wrong += fmt.Sprintf("%d: %v\n", e.Line, e); return nil })
	return texts, wrong, err
}

func anything(string) error { return nil }

func TestReadList(t *testing.T) {
	long := strings.Repeat("a", 2*maxURL)
	for _, tt := range []struct {
		name, text, want, wrong string
	}{
		{"empty", "", "", ""},
		{"no end of line", "a", "a", ""},
		{"spaces", " a\t\r\n\n \nb\n", "a|b", ""},
		{"comments", "# c\na\n #d\nb#c", "a|b#c", ""},
		{"a mark", "\ufeffa\nb", "a|b", ""},
		{"a mark and a comment", "\ufeff#a\nb", "b", ""},
		{"long", "a\n" + long + "\nb\n" + long, "a|b", "2: longer than 16 KiB\n4: longer than 16 KiB\n"},
		{"a long comment", "#" + long + "\nb", "b", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, wrong, err := read(strings.NewReader(tt.text), anything)
			if strings.Join(got, "|") != tt.want || wrong != tt.wrong || err != nil {
				t.Errorf("%q, wrong %q, %v; want %q, %q", got, wrong, err, tt.want, tt.wrong)
			}
		})
	}
}

func TestReadListGoesOn(t *testing.T) {
	bad := errors.New("bad")
	got, wrong, err := read(strings.NewReader("a\n\nb\nc"), func(text string) error {
		if text == "b" {
			return bad
		}
		return nil
	})
	if len(got) != 3 || wrong != "3: bad\n" || err != nil {
		t.Errorf("%q, wrong %q, %v", got, wrong, err)
	}
	broken := errors.New("broken")
	got, wrong, err = read(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), anything)
	if len(got) != 1 || wrong != "" || !errors.Is(err, broken) {
		t.Errorf("%q, wrong %q, %v", got, wrong, err)
	}
}

// No line is lost, and none is made up.
func FuzzList(f *testing.F) {
	for _, seed := range []string{"", "a\nb", "\ufeff#\r\n a ", "\n\n\r", strings.Repeat("a", 2*maxURL)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, wrong, err := read(strings.NewReader(text), anything)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				want++
			}
		}
		if n := len(got) + strings.Count(wrong, "\n"); n != want && len(text) < maxURL {
			t.Errorf("%q: %d lines, want %d", text, n, want)
		}
		for _, line := range got {
			if line != strings.TrimSpace(line) || line == "" || line[0] == '#' || strings.Contains(line, "\n") {
				t.Errorf("%q is a line of %q", line, text)
			}
		}
	})
}

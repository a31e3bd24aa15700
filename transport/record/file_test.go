package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func line(key string) Line {
	return Line{Time: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Key: key, Method: "GET", Cost: 1, Attempt: 1, Status: 200}
}

func open(t *testing.T, path string, maxBytes int64) *File {
	t.Helper()
	f, err := Open(path, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// keys are the keys of the lines in the files, one after the other. A line that
// is none counts as "?".
func keys(t *testing.T, paths ...string) (keys []string) {
	t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for l, err := range Lines(bytes.NewReader(text)) {
			if err != nil {
				l.Key = "?"
			}
			keys = append(keys, l.Key)
		}
	}
	return keys
}

func wantKeys(t *testing.T, want string, paths ...string) {
	t.Helper()
	if got := strings.Join(keys(t, paths...), " "); got != want {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// What was added is in the file a second later, and nothing runs after that.
func TestFileIsWrittenASecondLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "calls.jsonl")
		f := open(t, path, 0)
		f.Add(line("a"))
		time.Sleep(500 * time.Millisecond)
		f.Add(line("b"))
		wantKeys(t, "", path)
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		wantKeys(t, "a b", path)
		if f.timer != nil {
			t.Error("there is a timer, with nothing to be written")
		}
		f.Add(line("c"))
		if err := f.Flush(); err != nil {
			t.Error(err)
		}
		wantKeys(t, "a b c", path)
	})
}

// 128 KiB are written at once.
func TestMuchIsWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "calls.jsonl")
		f := open(t, path, 0)
		for range 5 {
			f.Add(line(strings.Repeat("k", 30<<10)))
		}
		synctest.Wait()
		if n := len(keys(t, path)); n != 5 {
			t.Errorf("%d lines are written, want 5", n)
		}
	})
}

// A second process goes on where the first ended. Close may be called again, and
// what comes after it is lost.
func TestFileIsAppendedTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	for _, key := range []string{"a", "b"} {
		f := open(t, path, 0)
		f.Add(line(key))
		for range 2 {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			f.Add(line("late"))
		}
	}
	wantKeys(t, "a b", path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A line that a crash cut off spoils neither those before it nor the next.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	f := open(t, path, 0)
	f.Add(line("a"))
	f.Add(line("torn"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.IndexByte(whole, '\n') + 1
	for cut := start; cut < len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		f := open(t, path, 0)
		f.Add(line("b"))
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		switch cut {
		case start:
			wantKeys(t, "a b", path)
		case len(whole) - 1: // all but its end
			wantKeys(t, "a torn b", path)
		default:
			wantKeys(t, "a ? b", path)
		}
	}
}

// Two files are the most there are, each no larger than was asked for, and a line
// stands in one of them.
func TestFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	f := open(t, path, MaxLine)
	added := 0
	for range 20 {
		for range 50 {
			added++
			f.Add(line(strings.Repeat("k", 500)))
		}
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{path, path + ".1"} {
			if info, err := os.Stat(p); err == nil && info.Size() > MaxLine {
				t.Fatalf("%s has %d bytes", p, info.Size())
			}
		}
	}
	got := keys(t, path+".1", path)
	size := len(got) * len(must(encode(line(strings.Repeat("k", 500)))))
	if size < MaxLine || size > 2*MaxLine {
		t.Errorf("%d bytes are left of %d lines", size, added)
	}
	for _, k := range got {
		if len(k) != 500 {
			t.Fatalf("a line was split: %.20q", k)
		}
	}
	if files, _ := filepath.Glob(path + "*"); len(files) != 2 {
		t.Errorf("files %q", files)
	}
}

func must(text []byte, _ error) []byte { return text }

// While the disk takes its time, Add does not, and no more than a mebibyte is
// kept. How many lines are missing is told.
func TestSlowDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	f := open(t, path, 0)
	f.writing.Lock() // the disk
	key := strings.Repeat("k", 10<<10)
	for range 200 {
		f.Add(line(key))
	}
	if len(f.pending) > maxPending {
		t.Errorf("%d bytes are kept", len(f.pending))
	}
	f.writing.Unlock()
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	f.Add(line("next"))
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept, missing := 0, 0
	for l, err := range Lines(bytes.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		kept, missing = kept+1, missing+l.Dropped
	}
	if kept+missing != 201 || missing < 90 {
		t.Errorf("%d lines, and %d missing, want 201", kept, missing)
	}
}

// A disk that takes part of what is written, as one that is full does: the rest
// is told as missing, and what comes later is written.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	f := open(t, path, 0)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = f.file.Close()
	f.file = w
	for range 100 { // more than a pipe holds, and less than is written at once
		f.Add(line(strings.Repeat("k", 1<<10)))
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.CopyN(io.Discard, r, 3<<10)
		_ = r.Close()
	})
	if err := f.Flush(); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Flush = %v", err)
	}
	wg.Wait()
	if err := f.Flush(); err != nil {
		t.Errorf("Flush again = %v", err)
	}
	f.Add(line("next"))
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for l, err := range Lines(bytes.NewReader(text)) {
		if err != nil || l.Key != "next" || l.Dropped < 1 || l.Dropped > 98 {
			t.Errorf("after two lines or more of 100 comes %.99q, %d missing, %v", l.Key, l.Dropped, err)
		}
	}
}

// It is written again once it can be.
func TestFileThatCannotBeOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "there")
	path := filepath.Join(dir, "calls.jsonl")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f := open(t, path, MaxLine)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("k", MaxLine/2)
	for range 3 { // the second needs a new file
		f.Add(line(big))
	}
	if err := f.Flush(); !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "record: ") {
		t.Errorf("Flush = %v", err)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	f.Add(line("back"))
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := keys(t, path); got[len(got)-1] != "back" {
		t.Errorf("keys %.20q", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		path string
		max  int64
		want string
	}{
		{filepath.Join(dir, "calls.jsonl"), 100, "record: a file of 100 bytes is too small: the least is 65536"},
		{filepath.Join(dir, "calls.jsonl"), -1, "record: a file of -1 bytes is too small: the least is 65536"},
		{dir, 0, "record: " + dir + " is no ordinary file"},
		{os.DevNull, 0, "record: " + os.DevNull + " is no ordinary file"},
		{filepath.Join(dir, "no", "calls.jsonl"), 0, "record: open " + filepath.Join(dir, "no", "calls.jsonl") + ": no such file or directory"},
	} {
		if _, err := Open(tt.path, tt.max); err == nil || err.Error() != tt.want {
			t.Errorf("Open(%q, %d) = %v, want %s", tt.path, tt.max, err, tt.want)
		}
	}
}

// A line that is too long, or of no time that can be written, is dropped.
func TestLinesThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	f := open(t, path, 0)
	f.Add(line(strings.Repeat("k", MaxLine)))
	far := line("far")
	far.Time = time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Add(far)
	f.Add(line("a"))
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(path)
	if want := `"status":200,"dropped":2}`; !strings.HasSuffix(strings.TrimSpace(string(text)), want) {
		t.Errorf("written: %.200s", text)
	}
}

// Many add, flush and close at once.
func TestFileIsShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	f := open(t, path, 0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				f.Add(line("k"))
			}
			if err := f.Flush(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(keys(t, path)); n != 800 {
		t.Errorf("%d lines, want 800", n)
	}
}

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// What was written comes out as it was, whether it was short or long, and no
// file is left.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, n := range []int{0, 10, spoolMemory / 1000, 5 * spoolMemory / 2000} {
		var s spool
		var want, got bytes.Buffer
		for i := range n {
			line := strings.Repeat(string(rune('a'+i%26)), 999) + "\n"
			want.WriteString(line)
			if _, err := io.WriteString(&s, line); err != nil {
				t.Fatal(err)
			}
		}
		if inFile := s.file != nil; inFile != (want.Len() > spoolMemory) {
			t.Errorf("%d bytes: is it in a file? %t", want.Len(), inFile)
		}
		if wrote, err := s.WriteTo(&got); err != nil || wrote != int64(want.Len()) || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%d bytes come out as %d, %v", want.Len(), wrote, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// Whether it is copied or not, a spool that is closed leaves no file.
func TestSpoolErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var s spool
	if _, err := s.Write(make([]byte, spoolMemory+1)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(make([]byte, spoolMemory+1)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteTo(full{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a full disk gives %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	t.Setenv("TMPDIR", dir+"/no")
	if _, err := s.Write(make([]byte, spoolMemory+1)); err == nil {
		t.Error("no place for the file, and no error")
	}
}

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// An inputError says what is wrong with the input, and where.
type inputError struct {
	name    string // of the file
	line    int    // counted from 1; 0 if it is about no line
	problem string
}

func (e *inputError) Error() string {
	if e.line == 0 {
		return e.name + ": " + e.problem
	}
	return fmt.Sprintf("%s:%d: %s", e.name, e.line, e.problem)
}

// unreadable is for what the system says of a file.
func unreadable(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return &inputError{name: name, problem: err.Error()}
}

// open returns the file, or stdin for "-", and what to call it in an error.
func (e *env) open(file string) (r io.ReadCloser, name string, err error) {
	if file == "-" {
		return io.NopCloser(e.stdin), "stdin", nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", unreadable(file, err)
	}
	return f, file, nil
}

// printable is s on one line, fit for a terminal: what comes from a server or a
// file must not move the cursor.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u2028' || c == '\u202e' {
			return '·'
		}
		return c
	}, s)
}

// shorten cuts s after n characters.
func shorten(s string, n int) string {
	runes := []rune(printable(s))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}

package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// MaxLine is the longest line in bytes, with its end. A File writes none that is
// longer, and Lines passes over those that are.
const MaxLine = 64 << 10

// A LineError reports a line that is none, for instance one that a crash cut
// off.
type LineError struct {
	Number int // of the line, from 1
	Err    error
}

func (e *LineError) Error() string { return fmt.Sprintf("record: line %d: %v", e.Number, e.Err) }

// Unwrap returns Err.
func (e *LineError) Unwrap() error { return e.Err }

// Lines returns the lines of a recording, in its order. One that cannot be read
// comes as a *[LineError], and the next follows: skip it, or count it. Any other
// error is that of r, and the end. Empty lines are passed over. It holds one
// line in memory.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, MaxLine)
		for n := 1; ; n++ {
			text, tooLong, err := readLine(in)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{}, fmt.Errorf("record: %w", err))
				return
			}
			if line, problem, ok := parse(text, tooLong); ok {
				if problem != nil {
					problem = &LineError{Number: n, Err: problem}
				}
				if !yield(line, problem) {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
}

// readLine returns the next line, or what fits of it.
func readLine(in *bufio.Reader) (text []byte, tooLong bool, err error) {
	text, err = in.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		_, err = in.ReadSlice('\n')
	}
	return text, tooLong, err
}

// parse reads a line. It reports false if there is nothing in it.
func parse(text []byte, tooLong bool) (line Line, problem error, ok bool) {
	text = bytes.TrimSpace(text)
	switch {
	case tooLong:
		return Line{}, errors.New("too long"), true
	case len(text) == 0:
		return Line{}, nil, false
	}
	problem = json.Unmarshal(text, &line)
	return line, problem, true
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// maxJSON is how much is read of a file in JSON.
const maxJSON = 128 << 20

// A jsonReader reads JSON piece by piece, so that no more than one element of
// the array that matters is in memory.
type jsonReader struct {
	*json.Decoder
	in   *countingReader
	name string // of the file
}

func newJSONReader(r io.Reader, name string) *jsonReader {
	in := &countingReader{r: r}
	return &jsonReader{Decoder: json.NewDecoder(in), in: in, name: name}
}

// countingReader counts lines, and ends with an error after maxJSON.
type countingReader struct {
	r     io.Reader
	bytes int
	lines int
}

var errTooLong = errors.New("longer than 128 MiB")

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bytes += n
	c.lines += bytes.Count(p[:n], []byte("\n"))
	if c.bytes > maxJSON {
		return 0, errTooLong
	}
	return n, err
}

// line is the line that the reader stands at, once it has passed the given
// characters.
func (j *jsonReader) line(passing string) int {
	rest, _ := io.ReadAll(j.Buffered()) // it is in memory, and has no error
	return 1 + j.in.lines - bytes.Count(bytes.TrimLeft(rest, passing), []byte("\n"))
}

// fail says what is wrong with what comes next.
func (j *jsonReader) fail(problem string) error {
	return &inputError{name: j.name, line: j.line(" \t\r\n,:"), problem: problem}
}

// wrap says what is wrong with what is called so.
func (j *jsonReader) wrap(what string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return unreadable(j.name, err)
	}
	if errors.Is(err, errTooLong) {
		return j.fail(err.Error())
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return j.fail(what + ": the JSON ends too early")
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return j.fail(fmt.Sprintf("%s: %s is a JSON %s, which makes no sense there", what, mismatch.Field, mismatch.Value))
	}
	if at, ok := errors.AsType[*time.ParseError](err); ok {
		return j.fail(what + ": " + at.Value + " is no instant as 2006-01-02T15:04:05Z")
	}
	return j.fail(what + ": " + err.Error())
}

// open reads the delimiter that opens an array or an object.
func (j *jsonReader) open(delim json.Delim, what string) error {
	token, err := j.Token()
	if err != nil {
		return j.wrap(what, err)
	}
	switch {
	case token == delim:
		return nil
	case delim == '[':
		return j.fail(what + ": want a JSON array")
	}
	return j.fail(what + ": want a JSON object")
}

// member goes to the value of a member of the object that is open. It reports
// whether there is one.
func (j *jsonReader) member(key, what string) (bool, error) {
	for j.More() {
		token, err := j.Token()
		if err != nil {
			return false, j.wrap(what, err)
		}
		if token == key {
			return true, nil
		}
		var skipped json.RawMessage
		if err := j.Decode(&skipped); err != nil {
			return false, j.wrap(what, err)
		}
	}
	if _, err := j.Token(); err != nil { // the end of the object
		return false, j.wrap(what, err)
	}
	return false, nil
}

// end expects nothing more.
func (j *jsonReader) end(what string) error {
	_, err := j.Token()
	switch {
	case err == nil:
		return j.fail(what + ": there is more after it")
	case errors.Is(err, io.EOF):
		return nil
	}
	return j.wrap("after "+what, err)
}

// each decodes the elements of the array that comes next, one at a time, and
// gives each to do. The first is number 1.
func each[T any](j *jsonReader, array, element string, do func(n int, v T) error) error {
	if err := j.open('[', array); err != nil {
		return err
	}
	for n := 1; j.More(); n++ {
		var v T
		this := fmt.Sprintf("%s %d", element, n)
		if err := j.Decode(&v); err != nil {
			return j.wrap(this, err)
		}
		if err := do(n, v); err != nil {
			return &inputError{j.name, j.line(""), this + ": " + err.Error()}
		}
	}
	if _, err := j.Token(); err != nil {
		return j.wrap(array, err)
	}
	return nil
}

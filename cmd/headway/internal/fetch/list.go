package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// A LineError says in which line of a list something is wrong.
type LineError struct {
	Line    int // counted from 1
	Problem error
}

func (e *LineError) Error() string { return e.Problem.Error() }

// Unwrap returns Problem.
func (e *LineError) Unwrap() error { return e.Problem }

// ReadList gives each line of a list to add, without the spaces around it. Blank
// lines are passed over, and those that begin with a #. It goes on after what add
// finds wrong, and after lines that are too long, and tells both to wrong. An
// error of r ends it.
func ReadList(r io.Reader, add func(text string) error, wrong func(*LineError) error) error {
	in := bufio.NewReaderSize(r, maxURL+1024) // the spaces around a URL have some room
	for line := 1; ; line++ {
		text, problem, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '#' && problem == nil {
			problem = add(string(text))
		}
		if problem != nil {
			if err := wrong(&LineError{line, problem}); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// readLine reads a line. If it is too long, it is passed over, and that is the
// problem, unless it is a comment.
func readLine(in *bufio.Reader) (text []byte, problem, err error) {
	text, err = in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return text, nil, err
	}
	if text[0] != '#' {
		problem = errLong
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	return nil, problem, err
}

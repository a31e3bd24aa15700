package accesslog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is how long a line may be.
const maxLine = 64 << 10

const tooLong problem = "longer than 64 KiB"

// A lineReader returns the lines of a log, each in the same memory.
type lineReader struct {
	r *bufio.Reader
	n int64 // of the line that was read last, from 1
}

// next returns a line without its end, which is empty if there is a problem.
func (l *lineReader) next() ([]byte, problem, error) {
	line, err := l.r.ReadSlice('\n')
	l.n++
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, tooLong, l.skip()
	}
	if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
		return nil, "", err
	}
	return trimEnd(line), "", nil
}

// trimEnd leaves blanks alone: a tab may separate fields that are empty.
func trimEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

// skip reads to the end of the line.
func (l *lineReader) skip() error {
	for {
		_, err := l.r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// A parser makes an entry of a line.
type parser interface {
	parse(line []byte, e *Entry) problem
}

// notAnEntry is what a parser says of a line that is right, but no call.
const notAnEntry problem = "no entry"

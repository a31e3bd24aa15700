package sim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A Request is one entry of the input.
type Request struct {
	At     time.Duration // since the start
	Cost   Units
	Number int // of the entry, from 1
	Line   int // on which it stands, from 1
}

// An EntryError says what is wrong with an entry of the input.
type EntryError struct {
	Number  int    // of the entry, from 1; what is no entry is not counted
	Line    int    // on which it stands, from 1
	Field   string // "time" or "cost"
	Problem string // such as `"abc" is not a number`
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("sim: line %d: request %d: %s %s", e.Line, e.Number, e.Field, e.Problem)
}

// maxLine is the longest line that is read, in bytes. An entry needs 40.
const maxLine = 64 << 10

// Read returns the requests of a text, one by one as they are asked for: one a
// line, as a time in seconds, or as time:cost. What follows a # is a comment.
// It ends with the first error.
func Read(r io.Reader) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, maxLine), maxLine)
		var last Request
		for lines.Scan() {
			last.Line++
			text := entry(lines.Bytes(), last.Line)
			if len(text) == 0 {
				continue
			}
			next, err := last.follow(text)
			if !yield(next, err) || err != nil {
				return
			}
			last = next
		}
		if err := lines.Err(); err != nil {
			yield(Request{}, readError(err, last))
		}
	}
}

// List returns the requests of a list that has commas between them, or lines.
func List(text string) iter.Seq2[Request, error] {
	return Read(strings.NewReader(strings.ReplaceAll(text, ",", "\n")))
}

// entry is a line without what is not part of the entry.
func entry(line []byte, number int) []byte {
	if number == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff")) // some editors begin a file so
	}
	line, _, _ = bytes.Cut(line, []byte{'#'})
	return bytes.TrimSpace(line)
}

func readError(err error, last Request) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &EntryError{last.Number + 1, last.Line + 1, "time", fmt.Sprintf("is not a number: the line is longer than %d KiB", maxLine>>10)}
	}
	return err
}

// follow returns the request that comes after r, on its line.
func (r Request) follow(text []byte) (Request, error) {
	r.Number++
	at, cost, priced := bytes.Cut(text, []byte{':'})
	ns, err := parseDecimal(bytes.TrimSpace(at), 9)
	switch {
	case err != nil:
		return r, r.wrong("time", quoted(at)+" "+err.Error())
	case ns < 0 || at[0] == '-' && ns == 0 && bytes.ContainsAny(at, "123456789"):
		return r, r.wrong("time", quoted(at)+" is negative")
	case time.Duration(ns) > simulate.Horizon:
		return r, r.wrong("time", quoted(at)+" is too large: want at most "+Seconds(simulate.Horizon).String())
	case time.Duration(ns) < r.At:
		return r, r.wrong("time", fmt.Sprintf("%s goes backward: the one before is %v", quoted(at), Seconds(r.At)))
	}
	r.At, r.Cost = time.Duration(ns), One
	if !priced {
		return r, nil
	}
	if r.Cost, err = ParseUnits(string(bytes.TrimSpace(cost))); err != nil {
		return r, r.wrong("cost", quoted(cost)+" "+err.Error())
	}
	if r.Cost <= 0 {
		return r, r.wrong("cost", quoted(cost)+" is not positive")
	}
	return r, nil
}

func (r Request) wrong(field, problem string) error {
	return &EntryError{r.Number, r.Line, field, problem}
}

// quoted is a piece of the input as an error shows it.
func quoted(text []byte) string {
	const most = 40
	text = bytes.TrimSpace(text)
	if len(text) > most {
		return fmt.Sprintf("%.*q…", most, text)
	}
	return fmt.Sprintf("%q", text)
}

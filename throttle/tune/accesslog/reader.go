package accesslog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// A Reader reads one log. It is one goroutine's.
type Reader struct {
	name   string
	format Format
	lines  lineReader
	parser parser     // of a line; nil for HAR
	har    *harReader // nil for others
	entry  Entry
	err    error // that ended it
	tally  Tally
}

// A Tally is what a Reader has come by so far.
type Tally struct {
	Name   string `json:"name"`
	Format Format `json:"format"`
	Calls  int64  `json:"calls"`
	Bad    int64  `json:"bad_lines"`    // lines, or entries of a HAR file, that could not be read
	First  []Line `json:"first_bad"`    // the first of them
	Vague  int64  `json:"whole_second"` // calls whose instant is in whole seconds
}

// A Line is one that could not be read.
type Line struct {
	Number  int64  `json:"line"` // from 1; 0 if the problem names an entry
	Problem string `json:"problem"`
}

// Where returns the place of the i-th line of First: file:line, or the file alone.
func (t *Tally) Where(i int) string {
	if n := t.First[i].Number; n > 0 {
		return fmt.Sprintf("%s:%d", t.Name, n)
	}
	return t.Name
}

// firstBad is how many lines are named.
const firstBad = 5

// A ReadError reports that a log could not be read to its end. It unwraps to
// the cause.
type ReadError struct {
	Name string
	Line int64 // 0 if it is not known
	Err  error
}

func (e *ReadError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("accesslog: %s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("accesslog: %s:%d: %v", e.Name, e.Line, e.Err)
}

func (e *ReadError) Unwrap() error { return e.Err }

// NewReader returns a Reader of the log that r yields, called name in errors. It
// reads the first lines, and so may block. If they fit no format, or the reader
// fails, the error is a [*ReadError].
func NewReader(name string, r io.Reader, o Options) (*Reader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	in := &Reader{name: name}
	in.tally = Tally{Name: name, First: []Line{}}
	buffered := bufio.NewReaderSize(r, maxLine)
	if magic, _ := buffered.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, in.fail(err)
		}
		buffered = bufio.NewReaderSize(unzipped, maxLine)
	}
	if err := in.begin(buffered, &o); err != nil {
		return nil, in.fail(err)
	}
	return in, nil
}

// begin finds out about the format.
func (r *Reader) begin(buffered *bufio.Reader, o *Options) error {
	start, err := buffered.Peek(maxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if packing := packed(start); packing != "" {
		return fmt.Errorf("it is packed by %s, which is not read: unpack it first", packing)
	}
	if bytes.HasPrefix(start, byteOrderMark) {
		_, _ = buffered.Discard(len(byteOrderMark)) // it is in the buffer
		start = start[len(byteOrderMark):]
	}
	r.format = o.Format
	if r.format == Auto {
		if r.format = o.detect(start); r.format == Auto && len(bytes.TrimSpace(start)) > 0 {
			return errNoFormat
		}
	}
	r.tally.Format = r.format
	if len(o.Fields) > 0 && (r.format == Common || r.format == HAR || r.format == Plain) {
		return errNoFields
	}
	if r.format == HAR {
		r.har = newHARReader(buffered, o)
		return nil
	}
	r.lines.r = buffered
	r.parser = o.parser(r.format, firstLine(start))
	return nil
}

var (
	errNoFields   = errors.New("only JSON and CSV have fields to choose, and it is neither")
	errNoFormat   = errors.New("no format fits the first lines: they are not Common Log Format, JSON, CSV with the time in a column, HAR or instants")
	byteOrderMark = []byte("\xef\xbb\xbf")
)

// packed names the program that has packed what begins so, if it is one whose
// output is not read.
func packed(start []byte) string {
	for magic, name := range map[string]string{"\x28\xb5\x2f\xfd": "zstd", "\xfd7zXZ": "xz", "BZh": "bzip2", "PK\x03\x04": "zip"} {
		if bytes.HasPrefix(start, []byte(magic)) {
			return name
		}
	}
	return ""
}

// fail ends the reading.
func (r *Reader) fail(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // the name is said already
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("it ends too early: %w", err)
	}
	r.err = &ReadError{Name: r.name, Line: r.lines.n, Err: err}
	return r.err
}

// Next returns the next call. What it returns is valid until it is called again.
// The error is io.EOF at the end, else a [*ReadError].
func (r *Reader) Next() (*Entry, error) {
	for r.err == nil {
		r.entry = Entry{Cost: 1}
		bad, err := r.read()
		switch {
		case errors.Is(err, io.EOF):
			r.err = io.EOF
		case err != nil:
			return nil, r.fail(err)
		case bad == "":
			r.count()
			return &r.entry, nil
		case bad != notAnEntry:
			r.skip(bad)
		}
	}
	return nil, r.err
}

func (r *Reader) read() (problem, error) {
	if r.har != nil {
		return r.har.next(&r.entry)
	}
	line, bad, err := r.lines.next()
	switch {
	case err != nil || bad != "":
		return bad, err
	case len(bytes.TrimSpace(line)) == 0:
		return notAnEntry, nil
	}
	return r.parser.parse(line, &r.entry), nil
}

func (r *Reader) count() {
	r.tally.Calls++
	if r.entry.Whole {
		r.tally.Vague++
	}
}

func (r *Reader) skip(bad problem) {
	r.tally.Bad++
	if len(r.tally.First) < firstBad {
		r.tally.First = append(r.tally.First, Line{r.lines.n, string(bad)})
	}
}

// Line returns the number of the line that was read last, from 1; 0 of a HAR file.
func (r *Reader) Line() int64 { return r.lines.n }

// Tally returns what there was so far.
func (r *Reader) Tally() Tally { return r.tally }

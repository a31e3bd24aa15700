package fetch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"
)

// MaxLine is how long the body of an answer may be that [Lines] keeps: it is in
// memory until its line is written.
const MaxLine = 16 << 20

// syncEvery is how much may be lost when the machine crashes, and be asked for
// again. Nothing is when only the process is killed.
const syncEvery = time.Second

// Lines keeps answers as lines of JSON in a file. It appends them whole; one that
// was torn off is removed when the file is opened the next time.
type Lines struct {
	w    io.Writer
	lock *flock.Flock // nil for a stream

	mu     sync.Mutex
	file   *os.File // nil for a stream
	size   int64    // up to the end of the last line that is whole
	synced time.Time
}

// A line is an answer. Either Body or Base64 holds its body.
type line struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
	Type   string `json:"type"`
	Body   any    `json:"body,omitempty"` // JSON, or a string
	Base64 []byte `json:"body_base64,omitempty"`
}

// begin is how every line begins.
const begin = `{"url":"`

// maxHead is what is read of a line to find its URL and status. JSON may write
// two bytes for one of the URL.
const maxHead = 2*maxURL + 1024

// ErrLine is what is wrong with a line that no [Lines] wrote.
var ErrLine = errors.New("no line of headway fetch; nothing was changed")

// StreamLines writes to w, and has nothing of an earlier run.
func StreamLines(w io.Writer) *Lines { return &Lines{w: w} }

// OpenLines opens a file, and makes it if there is none. Call Resume before
// Save. The error is [ErrBusy] if another process has it open.
func OpenLines(name string) (*Lines, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	l := &Lines{w: f, file: f}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	l.lock, err = lock(filepath.Dir(name), "."+filepath.Base(name)+".lock")
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

// Resume tells the plan of each URL whose answer is there, and removes what is
// torn off at the end. If a line is not one of its own the error is a
// *[LineError], and nothing is changed.
func (l *Lines) Resume(p *Plan) error {
	if l.file == nil {
		return nil
	}
	in := bufio.NewReaderSize(l.file, maxHead)
	for n := 1; ; n++ {
		head, size, whole, err := readHead(in)
		if err != nil {
			return err
		}
		if !whole {
			return l.cut(n, head)
		}
		l.size += size
		url, status, ok := parseHead(head)
		if !ok {
			return &LineError{n, ErrLine}
		}
		if status/100 != 2 {
			continue
		}
		if err := p.Have(url); err != nil {
			return err
		}
	}
}

// readHead reads a line, and returns the first of it. It is not whole if the file
// ends before it does.
func readHead(in *bufio.Reader) (head []byte, size int64, whole bool, err error) {
	part, err := in.ReadSlice('\n')
	head, size = bytes.Clone(part), int64(len(part))
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = in.ReadSlice('\n')
		size += int64(len(part))
	}
	if errors.Is(err, io.EOF) {
		return head, size, false, nil
	}
	return head, size, err == nil, err
}

// parseHead reads the beginning of a line.
func parseHead(head []byte) (url string, status int, ok bool) {
	d := json.NewDecoder(bytes.NewReader(head))
	d.UseNumber()
	for i, want := range []json.Token{json.Delim('{'), "url", nil, "status", nil} {
		token, err := d.Token()
		if err != nil || want != nil && token != want {
			return "", 0, false
		}
		switch v := token.(type) {
		case string:
			if i == 2 {
				url = v
			}
		case json.Number:
			n, err := v.Int64()
			status, ok = int(n), err == nil && i == 4
		}
	}
	return url, status, ok && url != ""
}

// cut removes what is behind the last whole line, if it is the beginning of one:
// a file may have been given by mistake. After a crash of the machine it may be
// zeros.
func (l *Lines) cut(n int, torn []byte) error {
	torn = bytes.TrimLeft(torn, "\x00")
	if len(torn) > 0 && !strings.HasPrefix(begin, string(torn)) && !bytes.HasPrefix(torn, []byte(begin)) {
		return &LineError{n, ErrLine}
	}
	return l.rewind()
}

func (l *Lines) rewind() error {
	err := l.file.Truncate(l.size)
	_, sought := l.file.Seek(l.size, io.SeekStart)
	return errors.Join(err, sought)
}

var errTooLong = errors.New("longer than 16 MiB, which is too long for a line; --out has no such bound")

// Save implements [Store].
func (l *Lines) Save(a *Answer) (int64, error) {
	body, err := io.ReadAll(a.Body)
	if err != nil {
		return 0, err
	}
	text, err := marshal(a, body)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.w.Write(text); err != nil {
		if l.file != nil {
			_ = l.rewind() // if not, the next run does
		}
		return 0, err
	}
	l.size += int64(len(text))
	if l.file != nil && time.Since(l.synced) >= syncEvery {
		err = l.file.Sync()
		l.synced = time.Now()
	}
	return int64(len(body)), err
}

func marshal(a *Answer, body []byte) ([]byte, error) {
	v := line{URL: a.URL.String(), Status: a.Status, Type: strings.ToValidUTF8(a.Type, "\ufffd")}
	switch {
	case isJSON(a.Type) && utf8.Valid(body) && json.Valid(body): // which lets any bytes be in a string
		v.Body = json.RawMessage(body)
	case utf8.Valid(body):
		v.Body = string(body)
	default:
		v.Base64 = body
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json"))
}

// Close makes sure of the lines, and lets others have the file.
func (l *Lines) Close() error {
	if l.file == nil {
		return nil
	}
	return errors.Join(l.file.Sync(), l.file.Close(), l.lock.Close())
}

package fetch

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// A Rest is the list of what was not fetched, as [ReadList] reads it, with the
// causes in comments. It takes the place of its file at the end, whole or not at
// all: the file may be the list that is being fetched. The nil Rest is none.
type Rest struct {
	name string
	file *os.File // what is listed so far

	mu   sync.Mutex
	w    *bufio.Writer
	last string // the cause that was written last
}

// NewRest begins a list that will be the named file, and sees that it can be.
func NewRest(name string) (*Rest, error) {
	probe, err := beside(name)
	if err != nil {
		return nil, err
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	f, err := temporary()
	if err != nil {
		return nil, err
	}
	return &Rest{name: name, file: f, w: bufio.NewWriter(f)}, nil
}

// beside makes a file next to another, which only its owner can read: there may
// be secrets in URLs.
func beside(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file") // whose place none can take
	}
	return os.CreateTemp(filepath.Dir(name), ".headway-*")
}

func (r *Rest) add(url, cause string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if cause != r.last {
		_, _ = r.w.WriteString("# " + cause + "\n") // the writer remembers its error until End
		r.last = cause
	}
	_, _ = r.w.WriteString(url + "\n")
}

// End puts the list in the place of the file.
func (r *Rest) End() error {
	if r == nil {
		return nil
	}
	err := r.w.Flush()
	if err == nil {
		err = r.replace()
	}
	return errors.Join(err, discard(r.file))
}

func (r *Rest) replace() error {
	f, err := beside(r.name)
	if err != nil {
		return err
	}
	_, err = r.file.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(f, r.file)
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), r.name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Drop leaves the file as it was.
func (r *Rest) Drop() {
	if r != nil {
		_ = discard(r.file)
	}
}

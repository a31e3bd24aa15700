package fetch

import (
	"errors"
	"io"
	"net/url"
	"path/filepath"

	"github.com/gofrs/flock"
)

// An Answer is what a server said to a call for a URL.
type Answer struct {
	URL    *url.URL
	Status int
	Type   string // the Content-Type
	Body   io.Reader
}

func (a *Answer) good() bool { return a.Status/100 == 2 }

// A Store is where answers are kept. It may be used by several goroutines.
type Store interface {
	// Save keeps an answer, whole or not at all, and returns the length of its
	// body. If the error is not one of the body, it is one of the store.
	Save(a *Answer) (int64, error)
}

// ErrBusy is the error of a store that another process has open.
var ErrBusy = errors.New("in use by another headway fetch")

// lock takes the lock file, and returns what gives it back. The file stays, for
// with it the next one would be able to lock another file of the same name.
func lock(dir, name string) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, name))
	got, err := l.TryLock()
	if err == nil && !got {
		err = ErrBusy
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

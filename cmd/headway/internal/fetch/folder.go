package fetch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/gofrs/flock"
)

// A Folder keeps the body of each answer in a file of the [Name] of its URL. What
// is under way is in the folder .headway within, and moved when it is whole and
// on disk. Answers of a status other than 2xx go to the folder errors, until there
// is one of 2xx.
type Folder struct {
	root  *os.Root // nothing is written outside, whatever is linked to where
	lock  *flock.Flock
	parts atomic.Int64
}

const (
	partsDir  = ".headway"
	errorsDir = "errors"
)

// OpenFolder opens a folder, and makes it if there is none. What an earlier run
// left unfinished is removed. The error is [ErrBusy] if another process has it
// open.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, partsDir), 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root}
	if f.lock, err = lock(filepath.Join(dir, partsDir), "lock"); err == nil {
		err = f.removeParts()
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Folder) removeParts() error {
	dir, err := f.root.Open(partsDir)
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	err = errors.Join(err, dir.Close())
	for _, name := range names {
		if filepath.Ext(name) == ".part" {
			err = errors.Join(err, f.root.Remove(filepath.Join(partsDir, name)))
		}
	}
	return err
}

// Resume tells the plan of each of its URLs whose answer is there.
func (f *Folder) Resume(p *Plan) error {
	return p.each(func(text string) error {
		u, err := ParseURL(text)
		if err != nil {
			return err
		}
		info, err := f.root.Lstat(Name(u))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err == nil && !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file", Name(u))
		case err == nil:
			err = p.Have(text)
		}
		return err
	})
}

// Save implements [Store].
func (f *Folder) Save(a *Answer) (n int64, err error) {
	part := filepath.Join(partsDir, strconv.FormatInt(f.parts.Add(1), 10)+".part")
	w, err := f.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(w, a.Body)
	if err == nil {
		err = w.Sync() // else a crash of the machine could leave the name without the content
	}
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = f.move(part, a)
	}
	if err != nil {
		_ = f.root.Remove(part)
	}
	return n, err
}

func (f *Folder) move(part string, a *Answer) error {
	name := Name(a.URL)
	kept := filepath.Join(errorsDir, name)
	if a.good() {
		err := f.root.Rename(part, name)
		if err == nil {
			_ = f.root.Remove(kept) // what an earlier run was told; mostly there is none
		}
		return err
	}
	if err := f.root.Mkdir(errorsDir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return f.root.Rename(part, kept)
}

// Close makes sure of the names, and lets others have the folder.
func (f *Folder) Close() error {
	var err error
	if dir, opened := f.root.Open("."); opened == nil {
		_ = dir.Sync() // some systems cannot; then a name may be lost in a crash, and be asked for again
		err = dir.Close()
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return errors.Join(err, f.root.Close())
}

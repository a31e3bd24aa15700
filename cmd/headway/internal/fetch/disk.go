package fetch

import (
	"errors"
	"io/fs"
	"os"
)

// temporary makes a file that is gone when it is closed by discard, and, where a
// file may lose its name while it is open, even if the program is killed.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "headway-*")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}

func discard(f *os.File) error {
	err := f.Close()
	if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// A spool keeps what is written to it until it is wanted: the first of it in
// memory, and what is long in a temporary file. The zero spool is ready to use.
type spool struct {
	file *os.File // what no longer was in memory; nil if all is
	rest bytes.Buffer
}

// spoolMemory is how much of a spool is in memory.
const spoolMemory = 4 << 20

// Write implements [io.Writer].
func (s *spool) Write(p []byte) (int, error) {
	if s.rest.Len()+len(p) > spoolMemory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	return s.rest.Write(p)
}

func (s *spool) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "headway-*"); err != nil {
			return err
		}
		// Where a file may lose its name while it is open, nothing is left of
		// it even if the program is killed; elsewhere Close removes it.
		_ = os.Remove(s.file.Name())
	}
	_, err = s.rest.WriteTo(s.file)
	return err
}

// WriteTo implements [io.WriterTo]. It empties the spool.
func (s *spool) WriteTo(w io.Writer) (int64, error) {
	var long int64
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return 0, err
		}
		n, err := io.Copy(w, s.file)
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			return n, err
		}
		long = n
	}
	n, err := s.rest.WriteTo(w)
	return long + n, err
}

// Close removes the temporary file, if there is one.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if gone := os.Remove(s.file.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	s.file = nil
	return err
}

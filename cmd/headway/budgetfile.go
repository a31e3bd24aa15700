package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// A budgetFile is where --budget keeps what is left of the budgets between two
// runs, as the JSON of a transport.Transport's Snapshot. The empty name is none.
type budgetFile string

// restore gives the Transport what an earlier run left. If there is no file yet,
// there was none. That the file can be written at the end is looked at as well.
func (f budgetFile) restore(e *env, t *transport.Transport) error {
	if f == "" {
		return nil
	}
	probe, err := f.temporary()
	if err != nil {
		return err
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	saved, err := f.read(e)
	if err != nil {
		return err
	}
	t.Restore(saved)
	return nil
}

func (f budgetFile) read(e *env) (saved []throttle.Saved, err error) {
	if _, err := os.Stat(string(f)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r, name, err := e.open(string(f))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	j := newJSONReader(r, name)
	err = each(j, "the budgets", "budget", func(_ int, s throttle.Saved) error {
		if s.Key == "" || s.At.IsZero() {
			return errors.New("want a key, and at, the instant at which it was saved")
		}
		saved = append(saved, s)
		return nil
	})
	if err == nil {
		err = j.end("the budgets")
	}
	return saved, err
}

// save writes the file, whole or not at all.
func (f budgetFile) save(t *transport.Transport) error {
	if f == "" {
		return nil
	}
	data, err := json.MarshalIndent(t.Snapshot(), "", "  ")
	if err != nil {
		return &inputError{name: string(f), problem: err.Error()}
	}
	tmp, err := f.temporary()
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(data, '\n'))
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), string(f))
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return unreadable(string(f), err)
	}
	return nil
}

// temporary makes a file beside it, which only its owner can read.
func (f budgetFile) temporary() (*os.File, error) {
	if info, err := os.Stat(string(f)); err == nil && !info.Mode().IsRegular() {
		return nil, &inputError{name: string(f), problem: "not a regular file"} // whose place none can take
	}
	tmp, err := os.CreateTemp(filepath.Dir(string(f)), ".headway-*")
	if err != nil {
		return nil, unreadable(string(f), err)
	}
	return tmp, nil
}

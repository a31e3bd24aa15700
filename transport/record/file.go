package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// DefaultMaxBytes is how large a [File] may become, if nothing else is said.
const DefaultMaxBytes = 64 << 20

const (
	flushEvery = time.Second // the oldest line that is not written yet
	flushAt    = 128 << 10   // bytes that are written at once
	maxPending = 1 << 20     // bytes that may wait to be written: some 5,000 lines
)

// A File writes lines to the end of a file. It may be shared between goroutines
// and Transports of one process. Two processes must not write to one file.
//
// Add does not wait for the disk. What it was given is written a second later, or
// as soon as there are 128 KiB of it, by a timer, which is there only while
// something is left to be written. If the disk is slower than that, a mebibyte is
// kept in memory, and lines beyond it are dropped: the next one says how many.
//
// The file is bounded: one that would grow too large is renamed, with ".1" added
// to its name, in the place of the one before it. So there are never more than
// two.
//
// Each write ends with a whole line. When the process crashes the lines of the
// last second are missing; a crash of the machine may also leave a torn line at
// the end. Open begins a new one then, and [Lines] passes over it.
type File struct {
	path string
	max  int64

	mu      sync.Mutex
	pending []byte
	dropped int // since the last line that was taken
	timer   *time.Timer
	hurried bool
	closed  bool

	writing sync.Mutex // held while the file is written; taken before mu
	file    *os.File
	size    int64
	spare   []byte
	err     error // the first since Flush
}

// Open opens the file, or makes it, for this user alone. It may become maxBytes
// large; zero means 64 MiB. Close it in the end, so that the last lines are
// written.
func Open(path string, maxBytes int64) (*File, error) {
	f := &File{path: path, max: maxBytes}
	switch {
	case maxBytes == 0:
		f.max = DefaultMaxBytes
	case maxBytes < MaxLine:
		return nil, fmt.Errorf("record: a file of %d bytes is too small: the least is %d", maxBytes, MaxLine)
	}
	if err := f.open(); err != nil {
		return nil, err
	}
	return f, nil
}

// Add takes a line. It does not block.
func (f *File) Add(l Line) {
	text, err := encode(l)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if f.dropped > 0 && err == nil {
		l.Dropped = f.dropped
		text, err = encode(l)
	}
	if err != nil || len(f.pending)+len(text) > maxPending {
		f.dropped++
		return
	}
	f.pending, f.dropped = append(f.pending, text...), 0
	f.schedule()
}

var errTooLong = errors.New("too long")

func encode(l Line) ([]byte, error) {
	text, err := l.MarshalJSON()
	if err == nil && len(text) >= MaxLine {
		err = errTooLong
	}
	return append(text, '\n'), err
}

// schedule has what is pending written soon.
func (f *File) schedule() {
	switch {
	case f.timer == nil:
		f.timer = time.AfterFunc(flushEvery, f.write)
	case len(f.pending) >= flushAt && !f.hurried:
		f.hurried = true
		f.timer.Reset(0)
	}
}

// Flush writes what was added so far, and returns the first error since it was
// last called. It waits for the disk.
func (f *File) Flush() error {
	f.write()
	f.writing.Lock()
	defer f.writing.Unlock()
	err := f.err
	f.err = nil
	return err
}

// Close writes what was added so far, and closes the file. Lines that are added
// later are dropped.
func (f *File) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	err := f.Flush()
	f.writing.Lock()
	defer f.writing.Unlock()
	if f.file != nil {
		err = errors.Join(err, f.file.Sync(), f.file.Close())
		f.file = nil
	}
	return err
}

// write empties what is pending into the file.
func (f *File) write() {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.mu.Lock()
	batch := f.pending
	f.pending, f.hurried = f.spare[:0], false
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
	f.mu.Unlock()
	f.spare = batch
	lost, err := f.append(batch)
	if err == nil {
		return
	}
	if f.err == nil {
		f.err = err
	}
	f.mu.Lock()
	f.dropped += lost
	f.mu.Unlock()
}

// append writes a batch of lines. It returns how many of them it could not
// write.
func (f *File) append(batch []byte) (lost int, err error) {
	for len(batch) > 0 && err == nil {
		var n int
		if n, err = f.room(batch); err == nil {
			n, err = f.put(batch[:n])
		}
		batch = batch[n:]
	}
	return bytes.Count(batch, newline), err
}

var newline = []byte{'\n'}

// room is how much of a batch, in whole lines, fits into the file, which is a
// new one if nothing does.
func (f *File) room(batch []byte) (int, error) {
	for range 2 {
		if f.file == nil {
			if err := f.open(); err != nil {
				return 0, err
			}
		}
		fits := batch[:min(int64(len(batch)), max(0, f.max-f.size))]
		if n := bytes.LastIndexByte(fits, '\n') + 1; n > 0 {
			return n, nil
		}
		if err := f.rotate(); err != nil {
			return 0, err
		}
	}
	return 0, errTooLong // not reached: a new file has room for any line
}

// put writes to the file. If only part of it could be written, that ends in a
// line of its own, so that the next begins a new one.
func (f *File) put(lines []byte) (int, error) {
	n, err := f.file.Write(lines)
	f.size += int64(n)
	if err != nil {
		_ = f.file.Close()
		f.file = nil // open looks at how it ends
		n = bytes.LastIndexByte(lines[:n], '\n') + 1
		err = fmt.Errorf("record: %w", err)
	}
	return n, err
}

func (f *File) rotate() error {
	err := f.file.Close()
	f.file = nil
	if err == nil {
		err = os.Rename(f.path, f.path+".1")
	}
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// open opens the file at its end, and ends a line there that was cut off.
func (f *File) open() error {
	// Not one that would block, or that it makes no sense to rename.
	if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("record: %s is no ordinary file", f.path)
	}
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		f.size = info.Size()
		err = endLine(file, &f.size)
	}
	if err != nil {
		_ = file.Close()
		return fmt.Errorf("record: %w", err)
	}
	f.file = file
	return nil
}

func endLine(file *os.File, size *int64) error {
	if *size == 0 {
		return nil
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, *size-1); err != nil {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	n, err := file.Write(newline)
	*size += int64(n)
	return err
}

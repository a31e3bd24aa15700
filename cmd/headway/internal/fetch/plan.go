package fetch

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net/url"
	"os"
	"sync"
)

// A Plan is what is to be fetched. It is on disk, so that what it takes of memory
// does not grow with the URLs, only with their hosts. It is filled by one
// goroutine, which then calls Begin; nothing is to be added after that.
type Plan struct {
	Listed   int64 // URLs that were added
	Repeated int64 // those of them that were there already; known after Begin
	Here     int64 // those whose answer is here; known after Begin

	file    *os.File
	pending []byte // what is not in the file yet
	written int64  // how much is
	hosts   map[string]*Host
	order   []*Host
	repeats repeats
}

// A Host is the URLs of one host, in the order in which they were added: a chain
// of records in the file of the plan.
type Host struct {
	name string
	plan *Plan

	mu          sync.Mutex
	first, last int64  // places of records; 0 for none
	broken      int    // calls in a row that had no answer
	lost        string // why no more is asked of it; empty while it is

	turn turn
}

// A record of the file is the place of the next one of its host, whether it is to
// be passed over, how long the URL is, and the URL.
const (
	dropAt     = 8
	lengthAt   = 9
	urlAt      = 13
	firstPlace = 1 // 0 is no place
	flushSize  = 1 << 20
)

// NewPlan makes an empty plan. Close removes its file.
func NewPlan() (*Plan, error) {
	f, err := temporary()
	if err != nil {
		return nil, err
	}
	return &Plan{file: f, pending: make([]byte, firstPlace, flushSize+maxURL), hosts: map[string]*Host{}}, nil
}

// Close ends the plan, and removes its file.
func (p *Plan) Close() error { return errors.Join(discard(p.file), p.repeats.close()) }

// Add puts a URL that [ParseURL] returned at the end.
func (p *Plan) Add(u *url.URL) error {
	p.Listed++
	place, text := p.written+int64(len(p.pending)), u.String()
	p.pending = append(p.pending, make([]byte, lengthAt)...)
	p.pending = binary.LittleEndian.AppendUint32(p.pending, uint32(len(text)))
	p.pending = append(p.pending, text...)
	if err := p.host(u.Host).link(place); err != nil {
		return err
	}
	if err := p.repeats.add(text, place); err != nil {
		return err
	}
	if len(p.pending) < flushSize {
		return nil
	}
	return p.flush()
}

// Have says that the answer to a URL is here, so that it need not be fetched.
func (p *Plan) Have(url string) error { return p.repeats.add(url, had) }

// each gives all URLs to do, in the order in which they were added.
func (p *Plan) each(do func(text string) error) error {
	if err := p.flush(); err != nil {
		return err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(p.file, firstPlace, p.written-firstPlace), 64<<10)
	for {
		var head [urlAt]byte
		if _, err := io.ReadFull(in, head[:]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		text := make([]byte, binary.LittleEndian.Uint32(head[lengthAt:]))
		if _, err := io.ReadFull(in, text); err != nil {
			return err
		}
		if err := do(string(text)); err != nil {
			return err
		}
	}
}

// Begin ends the adding.
func (p *Plan) Begin() error {
	if err := p.flush(); err != nil {
		return err
	}
	err := p.repeats.each(func(place int64, here bool) error {
		if here {
			p.Here++
		} else {
			p.Repeated++
		}
		_, err := p.file.WriteAt([]byte{1}, place+dropAt)
		return err
	})
	return errors.Join(err, p.repeats.close())
}

// Left is how many URLs are to be fetched, after Begin.
func (p *Plan) Left() int64 { return p.Listed - p.Repeated - p.Here }

func (p *Plan) flush() error {
	n, err := p.file.Write(p.pending)
	p.written += int64(n)
	p.pending = p.pending[:0]
	return err
}

func (p *Plan) host(name string) *Host {
	h := p.hosts[name]
	if h == nil {
		h = &Host{name: name, plan: p}
		p.hosts[name] = h
		p.order = append(p.order, h)
	}
	return h
}

// link puts the record at the end of the chain.
func (h *Host) link(place int64) error {
	last := h.last
	h.last = place
	if last == 0 {
		h.first = place
		return nil
	}
	p := h.plan
	if last >= p.written {
		binary.LittleEndian.PutUint64(p.pending[last-p.written:], uint64(place))
		return nil
	}
	_, err := p.file.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(place)), last)
	return err
}

// next takes the first URL from the chain that is not to be passed over. It is
// empty at the end.
func (h *Host) next() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.first != 0 {
		var head [urlAt]byte
		if _, err := h.plan.file.ReadAt(head[:], h.first); err != nil {
			return "", err
		}
		place := h.first
		h.first = int64(binary.LittleEndian.Uint64(head[:]))
		if head[dropAt] != 0 {
			continue
		}
		text := make([]byte, binary.LittleEndian.Uint32(head[lengthAt:]))
		_, err := h.plan.file.ReadAt(text, place+urlAt)
		return string(text), err
	}
	return "", nil
}

package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// A sighting is that a URL was seen, and where.
type sighting struct {
	sum [16]byte // of the URL, so much of its SHA-256 that no two share it
	at  int64    // where it stands in the plan; had if we have its answer
}

// had comes before any place.
const had = -1

const sightingSize = 24

// batchSize is how many sightings are in memory by default: 12 MiB.
const batchSize = 512 << 10

// repeats finds the URLs that were seen before, however many there are: it sorts
// what was seen, on disk if it is much. The zero value is ready to use.
type repeats struct {
	most  int // of the sightings in memory; zero is batchSize
	batch []sighting
	file  *os.File // batches that were sorted, one after the other; nil for none
	size  int64    // of the file
	ends  []int64  // where in the file each batch ends
}

func (r *repeats) add(url string, at int64) error {
	sum := sha256.Sum256([]byte(url))
	r.batch = append(r.batch, sighting{[16]byte(sum[:16]), at})
	if len(r.batch) < cmp.Or(r.most, batchSize) {
		return nil
	}
	return r.spill()
}

func compare(a, b sighting) int {
	return cmp.Or(bytes.Compare(a.sum[:], b.sum[:]), cmp.Compare(a.at, b.at))
}

func (r *repeats) spill() (err error) {
	if r.file == nil {
		if r.file, err = temporary(); err != nil {
			return err
		}
	}
	slices.SortFunc(r.batch, compare)
	w := bufio.NewWriterSize(r.file, 64<<10)
	var record [sightingSize]byte
	for _, s := range r.batch {
		copy(record[:], s.sum[:])
		binary.LittleEndian.PutUint64(record[16:], uint64(s.at))
		if _, err := w.Write(record[:]); err != nil {
			return err
		}
	}
	r.size += int64(len(r.batch)) * sightingSize
	r.ends = append(r.ends, r.size)
	r.batch = r.batch[:0]
	return w.Flush()
}

// A sorted is a batch that is read in its order.
type sorted struct {
	next func() (sighting, error) // io.EOF at the end
	head sighting
}

// each tells of every place but the first at which a URL stands, and of that as
// well if its answer is here already.
func (r *repeats) each(drop func(at int64, here bool) error) error {
	var last [16]byte
	seen, here := false, false // whether last was seen, at a place, and its answer is here
	return r.merge(func(s sighting) error {
		if s.sum != last {
			last, seen, here = s.sum, false, false
		}
		if s.at == had {
			here = true
			return nil
		}
		first := !seen
		seen = true
		if first && !here {
			return nil
		}
		return drop(s.at, first)
	})
}

// merge gives all sightings to do, in order.
func (r *repeats) merge(do func(sighting) error) error {
	slices.SortFunc(r.batch, compare)
	batches, err := r.batches()
	if err != nil {
		return err
	}
	for len(batches) > 0 {
		least := 0
		for i := range batches {
			if compare(batches[i].head, batches[least].head) < 0 {
				least = i
			}
		}
		if err := do(batches[least].head); err != nil {
			return err
		}
		batches[least].head, err = batches[least].next()
		if errors.Is(err, io.EOF) {
			batches = slices.Delete(batches, least, least+1)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// batches are those that are not empty, each at its first sighting.
func (r *repeats) batches() ([]sorted, error) {
	all := []sorted{{next: fromMemory(r.batch)}}
	from := int64(0)
	for _, to := range r.ends {
		all = append(all, sorted{next: fromDisk(io.NewSectionReader(r.file, from, to-from))})
		from = to
	}
	batches := all[:0]
	for _, b := range all {
		var err error
		if b.head, err = b.next(); err == nil {
			batches = append(batches, b)
		} else if !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	return batches, nil
}

func fromMemory(batch []sighting) func() (sighting, error) {
	return func() (sighting, error) {
		if len(batch) == 0 {
			return sighting{}, io.EOF
		}
		s := batch[0]
		batch = batch[1:]
		return s, nil
	}
}

func fromDisk(file io.Reader) func() (sighting, error) {
	in := bufio.NewReaderSize(file, 64<<10)
	return func() (sighting, error) {
		var record [sightingSize]byte
		if _, err := io.ReadFull(in, record[:]); err != nil {
			return sighting{}, err
		}
		return sighting{[16]byte(record[:16]), int64(binary.LittleEndian.Uint64(record[16:]))}, nil
	}
}

func (r *repeats) close() error {
	file := r.file
	r.batch, r.file = nil, nil
	if file == nil {
		return nil
	}
	return discard(file)
}

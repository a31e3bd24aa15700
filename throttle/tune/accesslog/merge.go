package accesslog

import (
	"errors"
	"io"
	"iter"
)

// Merge returns the calls of several logs in the order of their instants, so
// far as each log is in order itself. So it puts rotated logs behind one
// another, whatever their names, and those of several servers beside one another.
// It ends with an error at the first log that cannot be read on.
func Merge(readers []*Reader) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		var heads []*Reader // those that have an entry, the earliest first
		for _, r := range readers {
			switch _, err := r.Next(); {
			case err == nil:
				heads = append(heads, r)
				sink(heads, len(heads)-1)
			case !errors.Is(err, io.EOF):
				yield(nil, err)
				return
			}
		}
		for len(heads) > 0 {
			first := heads[0]
			if !yield(&first.entry, nil) {
				return
			}
			switch _, err := first.Next(); {
			case err == nil:
				rise(heads)
			case errors.Is(err, io.EOF):
				heads = heads[1:]
			default:
				yield(nil, err)
				return
			}
		}
	}
}

// sink moves a reader forward to where it belongs.
func sink(heads []*Reader, i int) {
	for ; i > 0 && heads[i].entry.At.Before(heads[i-1].entry.At); i-- {
		heads[i], heads[i-1] = heads[i-1], heads[i]
	}
}

// rise moves the first reader back to where it belongs. In logs that follow one
// another that is where it is.
func rise(heads []*Reader) {
	for i := 1; i < len(heads) && heads[i].entry.At.Before(heads[i-1].entry.At); i++ {
		heads[i], heads[i-1] = heads[i-1], heads[i]
	}
}

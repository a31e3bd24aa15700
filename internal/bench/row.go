package main

import (
	"context"
	"math"
	"runtime"
	"time"
)

// A row is one kind of work, and those who do it.
type row struct {
	name   string // group/work
	about  string // one line for people
	unit   string // of the value; less is better
	aim    aim
	rounds int // at most; zero means as many as the flag says
	longer int // slices are so many times as long; zero means 1
	open   func(*bench) ([]contender, error)
}

// A bench is what a row is set up on.
type bench struct {
	ctx     context.Context
	shrink  int           // sizes are divided by it; 1 but in tests
	long    time.Duration // for how long releases are counted
	closers []func()
}

// size is n, or less in tests.
func (b *bench) size(n int) int { return max(1, n/b.shrink) }

// cleanup registers what is to be done when the row is over.
func (b *bench) cleanup(f func()) { b.closers = append(b.closers, f) }

// oneProcessor is for work that is handed from goroutine to goroutine: how long
// idle processors look for some is left to chance.
func (b *bench) oneProcessor() {
	before := runtime.GOMAXPROCS(1)
	b.cleanup(func() { runtime.GOMAXPROCS(before) })
}

func (b *bench) close() {
	for i := range b.closers {
		b.closers[len(b.closers)-1-i]()
	}
}

// A role is what a contender is in its row.
type role string

const (
	floor role = "floor" // the least that anybody could do
	ours  role = "ours"
	peer  role = "peer"
)

// A contender does the work of a row in its own way. Each call of slice is one
// measurement, of about the given length if the work can be done any number of
// times.
type contender struct {
	name  string
	role  role
	slice func(time.Duration) (sample, error)
}

// A sample is what one slice gave. Where nobody looked there is NaN.
type sample struct {
	value  float64 // in the unit of the row
	bytes  float64 // allocated by one operation
	allocs float64
	peak   float64 // of the heap, in bytes
}

// only is a sample of a value alone.
func only(value float64) sample {
	return sample{value: value, bytes: math.NaN(), allocs: math.NaN(), peak: math.NaN()}
}

// rows are all that is measured. What is added here is measured, printed and
// written like the rest.
func rows() []row {
	var all []row
	for _, group := range [][]row{
		decisions(), transports(), uploads(), families(), waiters(), keys(), uptimes(), simulations(), tunings(), redises(),
	} {
		all = append(all, group...)
	}
	return all
}

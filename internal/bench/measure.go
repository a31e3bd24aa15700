package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// run measures a row: a slice of each contender in turn, there and back, for as
// many rounds, so that what disturbs the machine for a while disturbs all alike.
func (r *row) run(b *bench, o options) (result, error) {
	defer b.close()
	contenders, err := r.open(b)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", r.name, err)
	}
	rounds := o.rounds
	if r.rounds > 0 {
		rounds = min(rounds, r.rounds)
	}
	runtime.GC() // what was left of the row before
	samples := make([][]sample, len(contenders))
	for round := range rounds {
		for i := range contenders {
			if round%2 == 1 {
				i = len(contenders) - 1 - i // so that nobody always follows the same one
			}
			c := contenders[i]
			if b.ctx.Err() != nil {
				return result{}, errInterrupted
			}
			s, err := c.slice(o.slice * time.Duration(max(1, r.longer)))
			if err != nil {
				return result{}, fmt.Errorf("%s: %s: %w", r.name, c.name, err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	return newResult(r, contenders, samples), nil
}

var errInterrupted = errors.New("interrupted")

// loop is a contender whose work takes next to no time.
func loop(name string, as role, op func() error) contender {
	return contender{name, as, timed(func(n int) error { return repeat(n, op) })}
}

func repeat(n int, op func() error) error {
	for range n {
		if err := op(); err != nil {
			return err
		}
	}
	return nil
}

// crowd is loop for several goroutines at a time.
func crowd(workers int, name string, as role, op func() error) contender {
	return contender{name, as, timed(func(n int) error {
		errs := make([]error, workers)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { errs[i] = repeat((n+i)/workers, op) })
		}
		wg.Wait()
		return errors.Join(errs...)
	})}
}

// timed makes slices of what do does n times. How many fit a slice is found out
// once, so that all slices do the same work.
func timed(do func(n int) error) func(time.Duration) (sample, error) {
	n := 0
	return func(slice time.Duration) (sample, error) {
		if n == 0 {
			var err error
			if n, err = calibrate(do, slice); err != nil {
				return sample{}, err
			}
		}
		return measure(n, do)
	}
}

// calibrate returns how many operations take about as long as a slice. It warms
// up caches on the way, and does all twice: once may take long by chance.
func calibrate(do func(n int) error, slice time.Duration) (int, error) {
	for n := 1; ; n *= 2 {
		took := slice
		for range 2 {
			start := cpuTime()
			if err := do(n); err != nil {
				return 0, err
			}
			took = min(took, cpuTime()-start)
		}
		if 2*took >= slice || n >= 1<<30 {
			return max(1, int(float64(n)*float64(slice)/float64(max(1, took)))), nil
		}
	}
}

// measure does the work n times, and returns what one of them took, in
// nanoseconds.
func measure(n int, do func(n int) error) (sample, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cpuTime()
	err := do(n)
	took := max(1, cpuTime()-start) // the clock may be coarse
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if allocated > 1<<20 {
		runtime.GC() // the next one is not to clear this one's garbage
	}
	s := only(float64(took) / float64(n))
	s.bytes = float64(allocated) / float64(n)
	s.allocs = float64(after.Mallocs-before.Mallocs) / float64(n)
	return s, err
}

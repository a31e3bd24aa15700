// Package league plays client strategies against rate-limited servers in
// virtual time, and measures how much of the limit each uses and what it costs.
//
// Most callers want [Run]: a [Scenario] and a [Strategy] in, a [Row] out, with
// the mean and the worst of several seeds. [Scenarios] and [Strategies] list
// what there is. The same seed gives the same figures, but where the schedule of
// package throttle itself draws at random: its figures differ a little each time.
//
// The strategies of others are written anew from what their authors published.
// Ours is the real schedule of package throttle, behind a thin adapter.
package league

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Scenarios returns all scenarios, those with targets first.
func Scenarios() []Scenario {
	var all []Scenario
	for _, some := range [][]Scenario{
		published(), heroku(), neighbours(), hiddenBuckets(), hiddenWindows(), storms(), others(),
	} {
		all = append(all, some...)
	}
	return all
}

// Strategies returns all strategies, ours last.
func Strategies() []Strategy {
	var all []Strategy
	for _, some := range [][]Strategy{
		retriers(), backoffs(), byHand(), sleepers(), adaptives(), ours(),
	} {
		all = append(all, some...)
	}
	return all
}

// Run plays a strategy in a scenario once for each seed, as many at a time as
// there are processors. It calls progress, if that is not nil, after each; never
// two at once. It blocks until all are played, and returns their figures.
func Run(s Scenario, with Strategy, seeds []uint64, progress func(done int)) Row {
	row, _ := RunContext(context.Background(), s, with, seeds, progress) // it cannot be stopped
	return row
}

// RunContext is [Run] until ctx is done. Then it stops at once and returns the
// cause, and no figures.
func RunContext(ctx context.Context, s Scenario, with Strategy, seeds []uint64, progress func(done int)) (Row, error) {
	runs := make([]Metrics, len(seeds))
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := 0
	for range min(runtime.GOMAXPROCS(0), len(seeds)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(seeds) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				runs[i] = newWorld(&s, with, seeds[i]).play(ctx)
				mu.Lock()
				done++
				if progress != nil {
					progress(done)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return Row{}, context.Cause(ctx)
	}
	return newRow(s.Name, with.Name, runs), nil
}

package tune

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// loopCalls is how many calls without a pause, or how many at regular intervals,
// make one think of a loop.
const loopCalls = 100

// isFast reports whether a cluster looks like a loop that has run away: it would
// take a tolerance as long as the window to let it pass.
func isFast(size, span int64, l Limit) bool {
	return size >= loopCalls && times(size, l.Interval())-span >= int64(l.Window)
}

// isSteady reports whether a client looks like a loop that pauses: it calls at
// regular intervals, and takes up half of the limit or more.
func (t *track) isSteady(l Limit) bool {
	return t.starts.isRegular(loopCalls) && t.starts.mean <= 2*float64(l.Interval())
}

// isLoop is asked after the last cluster was closed.
func (t *track) isLoop(l Limit) bool { return t.loop || t.isSteady(l) }

// A Loop is a client that looks like a loop which has run away. No tolerance is
// made for those.
type Loop struct {
	Client string `json:"client"`
	Calls  int64  `json:"calls"`
	Why    string `json:"why"`
}

// maxLoops is how many of them are named.
const maxLoops = 20

// loops returns those that call most, and how many there are.
func (t *Tuner) loops() (first []Loop, all int) {
	first = []Loop{}
	for name, c := range t.clients {
		if !c.all.isLoop(t.all.limit) {
			continue
		}
		all++
		first = append(first, Loop{name, c.all.calls, c.all.whyLoop()})
		if len(first) >= 2*maxLoops {
			first = mostCalls(first)
		}
	}
	return mostCalls(first), all
}

func mostCalls(loops []Loop) []Loop {
	slices.SortFunc(loops, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Client, b.Client))
	})
	return loops[:min(len(loops), maxLoops)]
}

func (t *track) whyLoop() string {
	if t.loop {
		return fmt.Sprintf("%d calls and more without a pause, far above the limit", loopCalls)
	}
	every := time.Duration(t.starts.mean).Round(time.Millisecond)
	return fmt.Sprintf("%.0f times one call after the other, each %v, with hardly a variation", t.starts.n, every)
}

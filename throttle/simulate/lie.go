package simulate

import "time"

// A Lie is a way in which what a server says is not what it does. Lies are told
// with the numbers that the server publishes anyway, and add none.
type Lie uint8

// The lies there are. LieGarbage leaves an Answer with nothing that could be
// understood; [Publisher.Fields] shows what it looked like.
const (
	LieNone     Lie = iota
	LieFull         // remaining is always the limit, as from a cache
	LieEmpty        // remaining is always 0
	LieDouble       // limit, remaining and burst are twice the truth
	LieFlicker      // every other second, the limit is a tenth of the truth
	LieEarly        // Retry-After and reset are half the truth
	LieHuge         // every number is the highest there is
	LieNegative     // every number is -1
	LieGarbage      // no number is one
)

// hugeSpan is the largest that an Answer can say, and survives a sum.
const hugeSpan = Never - 1

func (l Lie) tell(a *Answer, at time.Duration) {
	switch l {
	case LieFull:
		a.Remaining = max(a.Limit, a.Remaining, 1)
	case LieEmpty:
		a.Remaining = 0
	case LieDouble:
		a.scale(2, 1)
	case LieFlicker:
		if at/time.Second%2 == 1 {
			a.scale(1, 10)
		}
	case LieEarly:
		a.RetryAfter /= 2
		a.Reset /= 2
	case LieHuge:
		a.fill(int64(Never), hugeSpan)
	case LieNegative:
		a.fill(-1, -time.Second)
	case LieGarbage:
		*a = Answer{Status: a.Status}
	}
}

// scale multiplies the counts by times/by. They stay at least 1, but for
// remaining.
func (a *Answer) scale(times, by int64) {
	a.Remaining = mulDiv(a.Remaining, times, by)
	a.Limit = max(mulDiv(a.Limit, times, by), 1)
	a.Burst = max(mulDiv(a.Burst, times, by), 1)
}

func (a *Answer) fill(n int64, d time.Duration) {
	a.Limit, a.Remaining, a.Burst = n, n, n
	a.Window, a.Reset, a.RetryAfter = d, d, d
}

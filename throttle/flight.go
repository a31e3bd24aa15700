package throttle

import "math"

// A flight is the calls that were under way together, and what the answers to
// them said of a policy. One answer alone says little of what is left: all the
// others may have come to the server after it. But the lowest is that of the
// call which came last of those that were answered, so that from it only the
// others are to be taken off.
type flight struct {
	from  int64   // what had been sent before its first call
	heard int64   // and with the latest call that was answered
	told  int64   // cost of its calls that were answered, with this policy
	low   float64 // the least that remained after any of them
}

// leaves takes in an answer, and returns how much is left at least, when so
// much has been sent.
func (f *flight) leaves(remaining float64, t *Ticket, sent int64) float64 {
	if before := t.sent - int64(t.cost); before == t.ended && t.sent > f.heard {
		// It went when nothing was under way: all before is over.
		*f = flight{from: before, low: math.Inf(1)}
	}
	if t.sent <= f.from {
		return 0
	}
	f.heard = max(f.heard, t.sent)
	f.told += int64(t.cost)
	f.low = min(f.low, max(0, remaining))
	return f.low - float64(sent-f.from-f.told)
}

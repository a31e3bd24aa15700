package throttle

import "time"

// A network is what the round trips of a budget say of the way to the server:
// how long it is at least, and by how much more it may take.
type network struct {
	least, last int64 // shortest round trip of this period, and of the one before
	since       int64 // when this period began
	spread      int64 // how much longer than the shortest a trip may be
	seen        int
}

const (
	// A route may change, and a shortest trip of long ago mislead.
	networkPeriod = int64(10 * time.Minute)
	// Until enough trips were seen, this much is taken to be possible.
	spreadPrior = int64(50 * time.Millisecond)
	spreadSeen  = 16
)

// trip takes in a round trip that ended at instant at, and returns how much
// longer than the shortest it was: how late the call may have come to the
// server.
func (n *network) trip(rtt, at int64) int64 {
	if n.seen == 0 || at-n.since > networkPeriod {
		n.last, n.least, n.since = n.least, rtt, at
		if n.seen == 0 {
			n.last = rtt
		}
	}
	n.least = min(n.least, rtt)
	n.seen++
	extra := rtt - min(n.least, n.last)
	// The largest of late, forgotten over some hundred trips.
	n.spread = max(extra, n.spread-n.spread/256)
	if n.seen < spreadSeen {
		extra += spreadPrior / int64(n.seen) // the shortest so far is not yet the shortest
	}
	return min(extra, rtt)
}

// jitter is how far apart the network may bring two calls that went together.
func (n *network) jitter() int64 {
	if n.seen < spreadSeen {
		return max(n.spread, spreadPrior)
	}
	return n.spread
}

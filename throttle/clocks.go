package throttle

import "time"

// Clocks are how far that of a store is behind ours, as far as its answers tell:
// it acts after it was asked, and before the answer is there. So each answer
// leaves an interval, and they intersect.
type clocks struct {
	lo, hi int64
	known  bool
}

// acted is when the store acted at the latest, at so many microseconds of its own
// clock; at the end of the question if it does not say.
func (c *clocks) acted(micros, asked, at int64) int64 {
	if micros == 0 {
		return at
	}
	stored := micros * int64(time.Microsecond)
	lo, hi := asked-stored, at-stored
	if !c.known || lo > c.hi || hi < c.lo {
		*c = clocks{lo, hi, true} // it was set
	}
	c.lo, c.hi = max(c.lo, lo), min(c.hi, hi)
	return stored + c.hi
}

// unsure is how much earlier the store may have acted.
func (c *clocks) unsure() int64 { return c.hi - c.lo }

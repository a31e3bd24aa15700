package throttle

import "time"

// A windowEnd is what the resets of several answers say together of when a
// window ends. Most are in whole seconds, cut off or rounded; each leaves an
// interval for the end, and their intersection is narrow after a few.
type windowEnd struct {
	known bool  // there was an answer
	until int64 // it ends by then
	vain  bool  // nothing was to be had at the end of one: it is no window, or ends later
}

// narrow takes in an answer, before which so much was left. It returns by when
// the window ends; far if its reset is not in whole seconds.
func (w *windowEnd) narrow(p *Policy, left float64, t *Ticket, seen sighting) int64 {
	if w.vain || p.Reset <= 0 || p.Reset%time.Second != 0 {
		return far
	}
	over := w.known && seen.at >= w.until
	if over && p.Remaining < 1 {
		w.vain = true
		return far
	}
	// More than calls that overtook each other explain.
	next := p.Remaining > left+float64(seen.own-t.ended)
	until, earliest := clamp(seen.at+int64(p.Reset+time.Second)), seen.from+int64(p.Reset-time.Second)
	if !w.known || next || over || seen.from == fresh || w.until < earliest {
		w.known, w.until = true, until
	}
	w.until = min(w.until, until)
	return w.until
}

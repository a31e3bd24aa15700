package throttle

import "time"

// othersAfter is how long after the last proof there may still be others.
const othersAfter = int64(time.Minute)

// Others returns how many calls a second others draw on the limit of the budget
// that they draw on most, and that limit: as far as the answers of the last minute
// prove it. It is 0 if they prove none.
func (b *Budget) Others() (perSecond float64, of Limit) {
	b.lock()
	defer b.unlock()
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			s := &c.share
			proven := (s.on || s.proven > 0.9) && s.at-s.proof < othersAfter
			if proven && s.others > perSecond {
				perSecond, of = s.others, c.limit
			}
		}
	}
	return perSecond, of
}

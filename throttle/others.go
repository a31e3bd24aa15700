package throttle

// Others returns how many calls a second others draw on the limit of the budget
// that they draw on most, and that limit: as far as the answers of the server
// prove it. It is 0 if they prove none.
func (b *Budget) Others() (perSecond float64, of Limit) {
	b.lock()
	defer b.unlock()
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			if s := &c.share; (s.on || s.proven > 0.9) && s.others > perSecond {
				perSecond, of = s.others, c.limit
			}
		}
	}
	return perSecond, of
}

package throttle

// SetSpread says how much of a quota, of which a server publishes what is left
// and when it is reset, is spread evenly over the time until then. What is left
// beyond that share goes at once. 1 is all of it, and a steady pace; zero means
// a half; negative means none, and the most that the server allows as early as
// it does, at the price of a wait until the reset. Call it before the first
// call.
//
// It makes no difference to a server that publishes a rate and a burst.
func (b *Budget) SetSpread(share float64) {
	b.lock()
	defer b.unlock()
	b.spread = share
}

func (b *Budget) spreadShare() float64 {
	switch {
	case b.spread < 0:
		return 0
	case b.spread > 0:
		return min(1, b.spread)
	}
	return 0.5 // also if it is no number
}

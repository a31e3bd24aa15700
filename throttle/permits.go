package throttle

// Permits count the calls under way, where somebody asked for a cap, or where
// a refusal left nothing else to go by.
type permits struct {
	max     int   // 0: no cap
	slow    int   // 0: not in slow start
	cold    int   // 0: something was heard of the server
	coldEnd int64 // when to go on without; far: the first call is still to come
	inUse   int
}

func (p *permits) counted() bool { return p.max > 0 || p.slow > 0 || p.cold > 0 }

func (p *permits) full() bool {
	over := func(most int) bool { return most > 0 && p.inUse >= most }
	return over(p.max) || over(p.slow) || over(p.cold)
}

// frees is when a permit is free for sure; far if that is not known.
func (p *permits) frees() int64 {
	if p.cold > 0 && (p.max == 0 || p.inUse < p.max) && (p.slow == 0 || p.inUse < p.slow) {
		return p.coldEnd
	}
	return far
}

func (p *permits) take() bool {
	if !p.counted() {
		return false
	}
	p.inUse++
	return true
}

// SetMaxConcurrent caps the calls that are under way at once: those let go by
// [Budget.Acquire] whose ticket is not done. A call leaves when its slot is due
// and a permit is free, so that no permit is held asleep and no slot grows
// stale. Zero or less means no cap.
func (b *Budget) SetMaxConcurrent(n int) {
	b.lock()
	defer b.unlock()
	b.permits.max = max(0, n)
	b.dispatch(b.settle(now()))
}

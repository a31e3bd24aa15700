package throttle

// Permits count the calls under way, where somebody asked for a cap, or where
// a refusal left nothing else to go by.
type permits struct {
	max   int // 0: no cap
	slow  int // 0: not in slow start
	inUse int
}

func (p *permits) counted() bool { return p.max > 0 || p.slow > 0 }

func (p *permits) full() bool {
	return p.max > 0 && p.inUse >= p.max || p.slow > 0 && p.inUse >= p.slow
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

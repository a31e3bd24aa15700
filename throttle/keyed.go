package throttle

import "sync"

// DefaultMaxKeys is how many budgets a zero [Keyed] holds before it lets idle
// ones go.
const DefaultMaxKeys = 100_000

// Keyed holds a budget for each key, made when it is first asked for. The zero
// Keyed is ready to use. It may be shared between goroutines, and must not be
// copied after first use.
//
// Its memory is bounded by what is in use: when there are Max budgets, one that
// has not been asked for lately, is idle and full makes room for the next. One
// that holds anybody back, or would, is never let go: then there are more.
type Keyed struct {
	// New makes the budget of a key. Nil means one without limits. Set it
	// before first use.
	New func(key string) *Budget

	// Max is how many budgets to hold. Zero or less means DefaultMaxKeys.
	Max int

	// Drop is told of a budget that is let go. It must not call k. Nil means
	// nobody.
	Drop func(b *Budget)

	budgets sync.Map // string → *Budget

	mu   sync.Mutex
	ring []*Budget // all of them; hand goes round
	hand int
}

// Budget returns the budget of the key.
func (k *Keyed) Budget(key string) *Budget {
	if b, ok := k.budgets.Load(key); ok {
		b := b.(*Budget)
		b.touch()
		return b
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if b, ok := k.budgets.Load(key); ok {
		return b.(*Budget)
	}
	b := k.newBudget(key)
	b.setKey(key)
	k.place(b)
	k.budgets.Store(key, b)
	return b
}

func (k *Keyed) newBudget(key string) *Budget {
	if k.New == nil {
		return &Budget{}
	}
	return k.New(key)
}

// place gives the budget a place in the ring, if it can that of another.
func (k *Keyed) place(b *Budget) {
	most := k.Max
	if most <= 0 {
		most = DefaultMaxKeys
	}
	// One round of the hand takes the marks off, another finds who may go. Of
	// those without a mark only some are looked at closely: that takes their
	// mutex, and more of it would hold callers up.
	looked := 0
	for steps := 0; len(k.ring) >= most && steps < 2*len(k.ring) && looked < 64; steps++ {
		k.hand = (k.hand + 1) % len(k.ring)
		old := k.ring[k.hand]
		if old.touched.Swap(false) {
			continue
		}
		if looked++; old.letGo() {
			k.budgets.Delete(old.key)
			k.ring[k.hand] = b
			if k.Drop != nil {
				k.Drop(old)
			}
			return
		}
	}
	k.ring = append(k.ring, b)
}

// Each calls f for every key and its budget, until f returns false.
func (k *Keyed) Each(f func(key string, b *Budget) bool) {
	k.budgets.Range(func(key, b any) bool { return f(key.(string), b.(*Budget)) })
}

// Key returns the key of the budget, if it is one of a [Keyed].
func (b *Budget) Key() string { return b.key }

// touch marks the budget as one that is asked for.
func (b *Budget) touch() {
	if !b.touched.Load() {
		b.touched.Store(true)
	}
}

func (b *Budget) setKey(key string) {
	b.lock()
	defer b.unlock()
	b.key = key
	b.touched.Store(true)
}

// Gone reports whether a [Keyed] has let the budget go. Who holds on to one
// asks for the key again then.
func (b *Budget) Gone() bool { return b.gone.Load() }

// letGo reports whether nothing would be lost with the budget, and marks it as
// gone then.
func (b *Budget) letGo() bool {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	busy := b.waiting > 0 || b.bound.head != nil || b.permits.inUse > 0 || b.remote != nil && (b.remote.asking || b.surplus())
	for _, s := range b.scopes {
		busy = busy || s.cool.on() || s.cool.strikes > 0 || s.sent.Load() != s.ended.Load() || s.clock.cell != nil
	}
	for _, l := range b.lanes {
		for c := range b.cells(l) {
			busy = busy || c.level(*b.hold(c), at) < float64(c.limit.Burst)
			// A new budget lets so many go before it hears what is left of a quota.
			busy = busy || at < c.end && c.end != far && c.limit.Burst < coldCalls
		}
	}
	if !busy {
		b.gone.Store(true)
	}
	return !busy
}

package throttle

import "sync"

// Keyed holds a budget for each key, made when it is first asked for. The zero
// Keyed is ready to use. It may be shared between goroutines, and must not be
// copied after first use.
type Keyed struct {
	// New makes the budget of a key. Nil means one without limits. Set it
	// before first use.
	New func(key string) *Budget

	budgets sync.Map // string → *Budget
}

// Budget returns the budget of the key.
func (k *Keyed) Budget(key string) *Budget {
	if b, ok := k.budgets.Load(key); ok {
		return b.(*Budget)
	}
	b := &Budget{}
	if k.New != nil {
		b = k.New(key)
	}
	b.lock()
	b.key = key
	b.unlock()
	got, _ := k.budgets.LoadOrStore(key, b)
	return got.(*Budget)
}

// Each calls f for every key and its budget, until f returns false.
func (k *Keyed) Each(f func(key string, b *Budget) bool) {
	k.budgets.Range(func(key, b any) bool { return f(key.(string), b.(*Budget)) })
}

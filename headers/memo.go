package headers

import (
	"math/rand/v2"
	"sync/atomic"
)

// What names mean is remembered in two tables of fixed size, so that a server
// which makes names up costs time but no memory. They are read without a lock.
// A name is known by its 64-bit hash alone: its secrets are new in each process,
// so nobody can choose names that collide.
const (
	ways      = 4 // places for the names of one set
	plainSets = 512
	memoSets  = 128
)

var (
	plain [plainSets][ways]atomic.Uint64 // ordinary names, by far the most
	memo  [memoSets][ways]atomic.Pointer[known]
)

// A known is what the name with this hash means. It is never changed.
type known struct {
	hash uint64
	*class
}

// classOf returns what the name of a field means.
func classOf(name string) *class {
	h := hash(name)
	set := &plain[h%plainSets]
	for i := range set {
		if set[i].Load() == h {
			return &nothing
		}
	}
	return recall(name, h)
}

// recall looks among the names that mean something, or works the name out.
func recall(name string, h uint64) *class {
	set := &memo[h%memoSets]
	for i := range set {
		if k := set[i].Load(); k != nil && k.hash == h {
			return k.class
		}
	}
	c := classify(name)
	if c.kind == ordinary {
		learnPlain(h)
		return &nothing
	}
	k := &known{h, c}
	for i := range set {
		if set[i].CompareAndSwap(nil, k) {
			return c
		}
	}
	set[rand.IntN(ways)].Store(k)
	return c
}

// learnPlain stores the hash of an ordinary name in a free place of its set, or
// in any: chance keeps two names from driving each other out for ever.
func learnPlain(h uint64) {
	set := &plain[h%plainSets]
	for i := range set {
		if set[i].CompareAndSwap(0, h) {
			return
		}
	}
	set[rand.IntN(ways)].Store(h)
}

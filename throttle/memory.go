package throttle

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Memory is a [Store] within a process, for several budgets that draw on one
// limit: those of two Transports, for instance. The zero Memory is ready to use.
// It may be shared between goroutines, and must not be copied after first use.
//
// It keeps a budget for as long as anything of it matters: until its limits are
// full again, and a minute more.
type Memory struct {
	mu      sync.Mutex
	began   int64 // when its clock stood at memoryBegin; 0 until the first question
	budgets map[string]*memoryBudget
	sweepAt int // look for budgets to forget when there are so many
}

// A memoryBudget is what is kept for a key, in microseconds of the clock of its
// Memory.
type memoryBudget struct {
	cool     int64            // end of the last cool-down
	parties  map[uint64]int64 // when each asked last
	limits   map[memoryName]*memoryLimit
	policies map[string]Policy
}

type memoryName struct {
	name             string
	interval, window time.Duration
}

type memoryLimit struct {
	tat   int64
	moved int64 // by how much it was moved on since it is here
	calm  int64 // no debt is paid before
}

const (
	// An instant of the clock of a Memory is never zero: a token that is means none.
	memoryBegin = int64(time.Hour / time.Microsecond)
	// Whoever did not ask for so long is not counted any more.
	partyKept = int64(time.Minute / time.Microsecond)
	// No more policies than this are kept for a budget.
	maxPolicies = 64
	// A budget is forgotten so long after its limits were full.
	memoryKept = int64(time.Minute / time.Microsecond)
)

// Ask implements [Store]. It does not block, and its error is always nil.
func (m *Memory) Ask(_ context.Context, a Ask) (Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.budgets == nil {
		m.began, m.budgets, m.sweepAt = now(), make(map[string]*memoryBudget), 64
	}
	at := (now()-m.began)/int64(time.Microsecond) + memoryBegin
	return m.budget(a.Key, at).answer(&a, at), nil
}

func (m *Memory) budget(key string, at int64) *memoryBudget {
	if b, ok := m.budgets[key]; ok {
		return b
	}
	if len(m.budgets) >= m.sweepAt {
		for k, b := range m.budgets {
			if b.over(at) {
				delete(m.budgets, k)
			}
		}
		m.sweepAt = max(64, 2*len(m.budgets))
	}
	b := &memoryBudget{
		parties:  make(map[uint64]int64),
		limits:   make(map[memoryName]*memoryLimit),
		policies: make(map[string]Policy),
	}
	m.budgets[key] = b
	return b
}

func (b *memoryBudget) over(at int64) bool {
	end := b.cool
	for _, l := range b.limits {
		end = max(end, l.tat)
	}
	for _, asked := range b.parties {
		end = max(end, asked)
	}
	return at-end > memoryKept
}

// answer is the one step of a store. The script of package redisstore has the
// same, and a test holds them side by side.
func (b *memoryBudget) answer(a *Ask, at int64) Answer {
	b.coolDown(a.CoolDown, at)
	only := b.only(a.From)
	limits := make([]*memoryLimit, len(a.Wants))
	first, takes := b.cool, false
	for i := range a.Wants {
		w := &a.Wants[i]
		limits[i] = b.limit(w, at, only)
		limits[i].hear(w, b.cool, at, only)
		if w.Take > 0 {
			takes = true
			first = max(first, limits[i].start(w, at)+(w.First-w.Window).Microseconds())
		}
	}
	ans := Answer{Epoch: 1, Now: at, CoolDown: micros(max(0, b.cool-at)), Leases: make([]Lease, len(a.Wants))}
	refused := takes && first-at > a.Horizon.Microseconds()
	if refused {
		ans.Wait = micros(first - at)
	} else {
		b.count(a.From, at)
	}
	ans.Parties = len(b.parties)
	for i, l := range limits {
		ans.Leases[i] = l.take(&a.Wants[i], at, refused)
	}
	if a.Epoch == 0 {
		ans.Policies = slices.Collect(maps.Values(b.policies))
	}
	return ans
}

func (b *memoryBudget) coolDown(told time.Duration, at int64) {
	switch {
	case told < 0:
		b.cool = 0
	case told > 0:
		b.cool = max(b.cool, at+told.Microseconds())
	}
}

// only reports whether nobody else asked of late.
func (b *memoryBudget) only(from uint64) bool {
	_, known := b.parties[from]
	return len(b.parties) == 0 || known && len(b.parties) == 1
}

func (b *memoryBudget) count(from uint64, at int64) {
	b.parties[from] = at
	for p, asked := range b.parties {
		if at-asked > partyKept {
			delete(b.parties, p)
		}
	}
}

func (b *memoryBudget) limit(w *Want, at int64, only bool) *memoryLimit {
	name := memoryName{w.Name, w.Interval, w.Window}
	l := b.limits[name]
	if l == nil {
		l = &memoryLimit{tat: at + w.New.Microseconds()}
		if !only {
			// Others may have called before anybody knew of it.
			l.tat = max(l.tat, at+(w.Window-w.Interval).Microseconds())
		}
		if w.Known > 0 {
			l.moved = movedFar // by others too: nobody knows how much
		}
		b.limits[name] = l
	}
	if w.Policy != nil {
		if len(b.policies) >= maxPolicies {
			clear(b.policies) // names that hold an identifier, or an attack
		}
		b.policies[w.Name] = *w.Policy
	}
	return l
}

// movedFar is more than any TAT is ahead of the clock, so that nothing that an
// answer leaves possible lies behind it.
const movedFar = int64(1) << 51

// hear brings TAT to where it must be, by what the one who asks knows.
func (l *memoryLimit) hear(w *Want, cool, at int64, only bool) {
	l.tat = max(l.tat, w.Known)
	if w.Back > 0 && l.tat == w.BackTo {
		l.tat -= w.Back.Microseconds()
	}
	if cool > 0 {
		// At its end there is one call, and no more than one an interval after.
		l.tat = max(l.tat, cool+(w.Window-w.Interval).Microseconds())
	}
	if w.Seen != nil {
		l.see(w, at, only)
	}
	if at >= l.calm {
		l.pay(w.Debt.Microseconds(), at+(w.Window-w.Interval).Microseconds(), at)
	}
}

// pay moves TAT on, or back to where one call may go at once.
func (l *memoryLimit) pay(debt, one, at int64) {
	switch {
	case debt > 0:
		l.tat = max(l.tat, at) + debt
		l.calm = l.tat
	case debt < 0 && l.tat > one:
		l.calm = l.tat
		l.tat = max(one, l.tat+debt)
	}
}

func (l *memoryLimit) see(w *Want, at int64, only bool) {
	lo, hi := w.Seen.Lo.Microseconds(), w.Seen.Hi.Microseconds()
	if only {
		l.tat = min(l.tat, at+max(lo, hi+l.moved))
	}
	if at+lo > l.tat {
		// Somebody else has taken some, and up to one more than can be seen.
		l.tat = at + max(lo, min(lo+w.Interval.Microseconds(), hi))
	}
}

// start is where a lease begins.
func (l *memoryLimit) start(w *Want, at int64) int64 {
	return max(l.tat, at+w.Ahead.Microseconds())
}

func (l *memoryLimit) take(w *Want, at int64, refused bool) Lease {
	start := l.tat
	if w.Take > 0 && !refused {
		start = l.start(w, at)
		l.tat = start + w.Take.Microseconds()
		l.moved = min(movedFar, l.moved+w.Take.Microseconds())
	}
	return Lease{micros(start - at), micros(l.tat - at), l.tat}
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

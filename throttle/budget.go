package throttle

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Budget is the schedule of what a server counts together: any number of
// limits that all bind, a cool-down, a cap on the calls under way, and the
// calls that wait. Most programs that have one limit want a [Limiter], and
// those that call over HTTP want the transport package.
//
// A slot is given when it is due, not when it was asked for. So a call that is
// cancelled while it waits costs nothing and those behind it move up; a change
// of a limit and a cool-down re-plan everybody at once; and a call that would
// have to wait past its deadline is told so before it waits.
//
// The zero Budget has no limit and is ready to use. A Budget may be shared
// between goroutines, and must not be copied after first use. Nothing runs in
// the background: while calls wait there is one timer, and it is gone with them.
type Budget struct {
	// gate is set while a call must not pass without the mutex: somebody
	// waits, or a cool-down is on, or the calls under way are counted.
	gate     atomic.Bool
	troubled atomic.Bool // the last thing heard from the server was a refusal
	touched  atomic.Bool // asked for since the hand of a Keyed came by
	gone     atomic.Bool // let go by a Keyed
	main     Lane
	byName   atomic.Pointer[[]*Lane] // lanes, for those who look one up

	mu      sync.Mutex
	key     string
	byHand  []*cell  // set by hand; they bind in every lane
	lanes   []*Lane  // main is the first; nil until init
	scopes  []*scope // root is the first
	root    scope
	held    []*cell // taken from the fast path until unlock
	waiting int
	unbegun int // cells that are held until the first call
	queueAt int // how many may wait; 0 is defaultQueue
	seq     uint64
	passed  [classes]int // calls of higher classes that went while this one waited
	bound   queue        // waiters whose slot is fixed, by a Reserve behind them
	timer   *time.Timer
	permits permits
	random  func() float64
	network network
	spread  float64 // see SetSpread
	remote  *remote // where the slots come from; nil: from here

	saved   map[string][]float64 // levels from a process before this one, by lane
	savedAt int64                // when they were true
}

const defaultQueue = 100_000

// A Lane is a class of calls of a budget with limits of its own, for instance
// one route of an API: its calls draw on the limits of the lane and on those of
// the budget, in one step, all or none. Calls of one lane do not wait for the
// limits of another.
type Lane struct {
	budget *Budget
	scope  *scope // whose limits its calls draw on as well
	name   string
	// fast is the one limit that a call of this lane has to meet, unlimited if
	// it has none, and nil if there are several: those take the mutex.
	fast   atomic.Pointer[cell]
	own    []*cell
	queues [classes]queue

	planned int // cost of those in it who go before the one that is looked at; see replan
}

// NewBudget returns a budget with limits that all bind. A Burst of 0 is 1. The
// error is a *[FieldError].
func NewBudget(limits ...Limit) (*Budget, error) {
	cells, err := newCells(limits)
	if err != nil {
		return nil, err
	}
	b := &Budget{byHand: cells}
	b.unbegun = countUnbegun(cells)
	b.init()
	return b, nil
}

func newCells(limits []Limit) ([]*cell, error) {
	cells := make([]*cell, len(limits))
	for i, l := range limits {
		l.Burst = burstOr1(l.Burst)
		if err := l.Validate(); err != nil {
			return nil, err
		}
		cells[i] = newCell(l)
		if l.Spent > 0 {
			// Not by the clock of now: it begins with the first call.
			cells[i].unbegun = true
			cells[i].tat.Store(held)
		}
	}
	return cells, nil
}

func countUnbegun(cells []*cell) int {
	n := 0
	for _, c := range cells {
		if c.unbegun {
			n++
		}
	}
	return n
}

func burstOr1(burst int) int {
	if burst == 0 {
		return 1
	}
	return burst
}

// Lane returns the lane of the given name. If there is none it is made, with
// the limits given, of which a Burst of 0 is 1; otherwise they are passed over.
// The lane without a name is that of the budget's own calls, and has no limits
// of its own. The error is a *[FieldError].
func (b *Budget) Lane(name string, limits ...Limit) (*Lane, error) {
	if l := b.laneNamed(name); l != nil {
		return l, nil
	}
	b.lock()
	defer b.unlock()
	if l := b.laneNamed(name); l != nil {
		return l, nil
	}
	cells, err := newCells(limits)
	if err != nil {
		return nil, err
	}
	b.unbegun += countUnbegun(cells)
	l := b.addLane(&Lane{budget: b, scope: &b.root, name: name, own: cells})
	b.restoreLane(l)
	return l, nil
}

func (b *Budget) addLane(l *Lane) *Lane {
	b.lanes, l.scope.lanes = append(slices.Clip(b.lanes), l), append(l.scope.lanes, l)
	all := b.lanes
	b.byName.Store(&all)
	b.refresh()
	return l
}

// Lanes returns the names of the lanes, the empty one of the budget's own first.
func (b *Budget) Lanes() []string {
	var names []string
	b.lock()
	defer b.unlock()
	for _, l := range b.root.lanes {
		names = append(names, l.name)
	}
	return names
}

// Budget returns the budget that the lane is part of.
func (l *Lane) Budget() *Budget { return l.budget }

// laneNamed finds a lane without the mutex: there are few, and none ever goes.
func (b *Budget) laneNamed(name string) *Lane {
	lanes := b.byName.Load()
	if lanes == nil {
		return nil
	}
	for _, l := range *lanes {
		if l.name == name && l.scope == &b.root {
			return l
		}
	}
	return nil
}

func (b *Budget) init() {
	if b.lanes == nil {
		b.root.init(b, "")
		b.scopes = []*scope{&b.root}
		b.main.budget, b.main.scope = b, &b.root
		b.lanes, b.root.lanes = []*Lane{&b.main}, []*Lane{&b.main}
		first := b.lanes
		b.byName.Store(&first)
		b.permits.coldEnd = far
		b.refresh()
	}
}

// lock begins a step on the slow path.
func (b *Budget) lock() {
	b.mu.Lock()
	b.init()
}

// unlock ends it. The gate has to be right before the cells are given back:
// the fast path looks at it first.
func (b *Budget) unlock() {
	if b.remote != nil {
		b.supply()
	}
	shut := b.bound.head != nil || b.waiting > 0 || b.permits.counted() || b.remote != nil
	troubled := b.permits.slow > 0 || b.permits.cold > 0
	for _, s := range b.scopes {
		shut = shut || s.cool.on()
		troubled = troubled || s.cool.strikes > 0 || s.clock.cell != nil
	}
	b.gate.Store(shut)
	b.troubled.Store(troubled)
	for _, c := range b.held {
		c.isHeld = false
		c.tat.Store(c.value)
	}
	b.held = b.held[:0]
	b.mu.Unlock()
}

// hold takes the TAT of a cell out of reach of the fast path until unlock.
func (b *Budget) hold(c *cell) *int64 {
	if !c.isHeld {
		c.value, c.isHeld = c.tat.Swap(held), true
		b.held = append(b.held, c)
	}
	return &c.value
}

// retire ends a cell: it stays held for ever. It returns its last TAT.
func (b *Budget) retire(c *cell) int64 {
	tat := *b.hold(c)
	for i, h := range b.held {
		if h == c {
			b.held = append(b.held[:i], b.held[i+1:]...)
			break
		}
	}
	return tat
}

// refresh works out which one cell, if any, the fast path of each lane meets.
func (b *Budget) refresh() {
	if b.remote != nil {
		b.lend(b.remote.at)
	}
	for _, l := range b.lanes {
		only, n := unlimited, 0
		for c := range b.cells(l) {
			if !c.endless {
				only, n = c, n+1
			}
			if c.share.on {
				n++ // a share is a limit too
			}
		}
		if n > 1 {
			only = nil
		}
		l.fast.Store(only)
	}
}

// cells are the limits that a call of the lane has to meet.
func (b *Budget) cells(l *Lane) iter.Seq[*cell] {
	return func(yield func(*cell) bool) {
		for _, cells := range [...][]*cell{b.byHand, l.scope.cells, l.own} {
			for _, c := range cells {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// SetLimits replaces the limits of the budget while calls wait, and re-plans
// them. The level of each limit is kept in calls, the i-th of the new for the
// i-th of the old, so that nobody gains or loses a burst; one that is added
// starts full. The error is a *[FieldError]; nothing is changed then.
func (b *Budget) SetLimits(limits ...Limit) error {
	cells, err := newCells(limits)
	if err != nil {
		return err
	}
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	b.replace(b.byHand, cells, at)
	b.byHand = cells
	b.replan(at)
	return nil
}

// SetLimits is [Budget.SetLimits] for the limits of the lane.
func (l *Lane) SetLimits(limits ...Limit) error {
	cells, err := newCells(limits)
	if err != nil {
		return err
	}
	b := l.budget
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	b.replace(l.own, cells, at)
	for _, twin := range b.twins(l) {
		twin.own = cells
	}
	b.replan(at)
	return nil
}

// replace retires the old cells, and gives their levels to the new ones.
func (b *Budget) replace(old, cells []*cell, at int64) {
	for i, c := range old {
		tat := b.retire(c)
		if i < len(cells) {
			cells[i].unbegun = false
			cells[i].tat.Store(carry(&c.gcra, &cells[i].gcra, tat, at))
		}
	}
	b.unbegun += countUnbegun(cells)
}

// carry is the TAT at which the new limit has the level of the old one.
func carry(was, is *gcra, tat, at int64) int64 {
	level := min(was.level(tat, at), float64(is.limit.Burst))
	return is.tatFor(level, at)
}

// Limits returns the limits in force: those set by hand, then those learned
// from the server.
func (b *Budget) Limits() []Limit {
	b.lock()
	defer b.unlock()
	var limits []Limit
	for _, c := range b.common() {
		limits = append(limits, c.limit)
	}
	return limits
}

// common are the limits of no single lane: those set by hand, then those of
// the scopes.
func (b *Budget) common() []*cell {
	all := slices.Clone(b.byHand)
	for _, s := range b.scopes {
		all = append(all, s.cells...)
	}
	return all
}

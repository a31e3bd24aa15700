package throttle

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// A Ticket is a call that was let go. Its holder tells the budget what came of
// it: Answered once there is an answer or an error, or Refused if the server did
// not take the call; Succeeded if it did; and Done when all of it has ended. None of them
// blocks. The zero Ticket belongs to no budget, and must not be used.
type Ticket struct {
	budget  *Budget
	lane    *Lane
	cost    int
	at      int64 // when it was let go; fresh if no limit made us look at the clock
	sent    int64 // cost of all that was let go until then, its own included
	ended   int64 // cost of all that was answered by then
	cause   Cause // what it waited for
	waited  time.Duration
	counted bool // it holds a permit until it is done
	flying  bool // and one until it is answered
	spent   bool // the server said that nothing was left
	pressed bool // it had to wait: there is more to do than may be done
	shadow  bool // it went at once, whatever the schedule said
	astray  bool // and the schedule would not have let it go then

	asks      bool // what holds after the end of a window
	unsettled bool // its answer may show it to be of another scope
}

// Waited returns how long the call waited before it was let go.
func (t *Ticket) Waited() time.Duration { return t.waited }

// Cause returns what the call had to wait for when it came, empty if it went at
// once.
func (t *Ticket) Cause() Cause { return t.cause }

// Counted reports whether the call holds a permit until it is done, so that Done
// matters after the answer.
func (t *Ticket) Counted() bool { return t.counted }

// Answered says that the call was answered, or failed, and what the server
// published with the answer. Each policy becomes a limit of the budget, or
// changes the one that it became before, and those who wait are re-planned.
// Policies that were published before and are not now stay. Values that make
// no sense are passed over.
func (t *Ticket) Answered(policies []Policy) {
	t.answered(now, policies)
}

func (t *Ticket) answered(clock func() int64, policies []Policy) {
	b := t.budget
	t.lane.scope.ended.Add(int64(t.cost))
	if len(policies) == 0 && !t.asks {
		return
	}
	b.lock()
	defer b.unlock()
	at := b.settle(clock())
	if len(policies) == 0 {
		t.asksInVain()
	}
	b.follow(b.takeIn(t, at, policies), at)
}

// asksInVain lets another call ask what holds now: this one was told nothing.
func (t *Ticket) asksInVain() {
	for c := range t.budget.cells(t.lane) {
		c.asked = c.asked && t.at < c.end
	}
}

// land gives back the permit that lasts until the answer. Not before it is known
// whether that was a refusal: the next call is not to go if it was.
func (t *Ticket) land() {
	if t.flying {
		t.flying = false
		t.budget.permits.flying--
	}
}

// Done ends the call: at the end of the response's body, or when there is none.
// It frees the permit, if the call holds one.
func (t *Ticket) Done() { t.done(now) }

func (t *Ticket) done(clock func() int64) {
	if !t.counted && !t.flying {
		return
	}
	b := t.budget
	b.lock()
	defer b.unlock()
	t.free()
	b.dispatch(b.settle(clock()))
}

// free gives back the permits that the call holds.
func (t *Ticket) free() {
	if t.counted {
		t.counted = false
		t.budget.permits.inUse--
	}
	t.land()
}

// Cancel ends a call that will not go after all: nothing else is told of it. What
// it was charged is given back, as if it had never been, but for a slot of a store; so
// Cancel is for the moment after the call was let go, and not for later.
func (t *Ticket) Cancel() {
	b := t.budget
	t.lane.scope.ended.Add(int64(t.cost))
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	for c := range b.cells(t.lane) {
		// A lease may have gone on to its next piece: what is before that is not ours.
		if !c.endless && c.lease == nil {
			*b.hold(c) -= c.cost(t.cost)
		}
	}
	t.asksInVain()
	t.free()
	b.dispatch(at)
}

// Exchange gives the slot of a call that has not gone yet back for one in another
// lane, for which it waits as [Lane.Acquire] does, ahead of those who were never
// let go. What it has waited already is part of its wait, and counts against
// MaxWait. After an error there is nothing more to tell the ticket, but it knows how
// long the call waited in all.
func (t *Ticket) Exchange(ctx context.Context, l *Lane, call Call) error {
	t.Cancel()
	if call.MaxWait > 0 {
		call.MaxWait = max(1, call.MaxWait-t.waited)
	}
	call.Again = true
	other, err := l.Acquire(ctx, call)
	other.waited += t.waited
	other.cause = cmp.Or(t.cause, other.cause)
	*t = other
	return err
}

// A Refusal is an answer by which a server did not take a call, because of a
// limit.
type Refusal struct {
	Policies []Policy // what it published; see Answered
	Reach    Reach    // whom it concerns, as far as the server says

	// Delay chooses for how long to hold the calls back that it concerns, by how
	// many refusals there were in a row, this one included. Refusals of calls that
	// went before the last refusal came are of the same event, and count once. So
	// a server that keeps refusing is left alone for longer and longer, whichever
	// call it is that finds out.
	Delay func(strikes int) time.Duration
}

// A Reach is whom a refusal concerns.
type Reach uint8

// How far a refusal may reach.
const (
	// ReachUnknown: the calls that the server counts together, if it says that
	// nothing is left of their limit; all calls of the budget, if not.
	ReachUnknown Reach = iota
	// ReachLocal: the calls that the server counts together, and no others.
	ReachLocal
	// ReachGlobal: all calls of the budget.
	ReachGlobal
)

// Refused is Answered for a call that the server refused, and holds those back
// whom the refusal concerns, in the same step. It returns for how long.
func (t *Ticket) Refused(r Refusal) time.Duration { return t.refused(now(), r) }

func (t *Ticket) refused(at int64, r Refusal) time.Duration {
	b := t.budget
	t.lane.scope.ended.Add(int64(t.cost))
	b.lock()
	defer b.unlock()
	b.settle(at)
	strays := b.strays(t)
	seen := b.takeIn(t, at, r.Policies)
	t.land()
	s := t.lane.scope
	if strays {
		s.rejected += int64(t.cost)
		b.follow(seen, at)
		return 0 // perhaps it would not have been refused, had it waited
	}
	first := t.sent > s.cool.began // of its flight
	if first {
		s.cool.strikes++
		s.cool.began = s.sent.Load()
	}
	defer func() { s.rejected += int64(t.cost) }()
	if !t.otherwise(r.Policies) {
		for c := range b.cells(t.lane) {
			c.share.refused(&c.gcra, at)
		}
	}
	strikes := max(1, s.cool.strikes)
	if t.spent {
		strikes = 1 // it is the limit that we know: there is nothing to find out
	}
	d := max(0, r.Delay(strikes))
	until := clamp(at + clamp(int64(d)))
	if first && !t.shadow && b.blind(s) {
		until = clamp(until + b.learnRefusal(t, at, until))
	}
	b.coolDown(b.concerned(t, &r), until, at)
	b.follow(seen, at) // not before: nobody is to leave with the refusal
	return d
}

// otherwise reports whether a refusal is for something else than the limits that
// the server publishes, for it says that there was enough left: then it is no sign
// of others who draw on them.
func (t *Ticket) otherwise(policies []Policy) bool {
	return !t.spent && slices.ContainsFunc(policies, func(p Policy) bool { return p.Remaining >= float64(t.cost) })
}

// concerned are the scopes that a refusal closes.
func (b *Budget) concerned(t *Ticket, r *Refusal) []*scope {
	usedUp := slices.ContainsFunc(r.Policies, func(p Policy) bool { return p.leavesNone(t.cost) })
	if r.Reach == ReachLocal || r.Reach == ReachUnknown && usedUp {
		return []*scope{t.lane.scope}
	}
	return b.scopes
}

// Unsettled says that no call like this one was answered before. If its answer
// then speaks of none of the policies that were published until now, the server
// counts such calls by themselves: see Lane. Without it, policies that are new
// hold for all calls that its lane shares its limits with.
func (t *Ticket) Unsettled() { t.unsettled = true }

// Lane is the lane that the call was in, or that its answer showed it to be in:
// of the same name, with the same limits set by hand, and with those that the
// server publishes for such calls. Later calls of the kind belong there. It does
// not change once the call was answered.
func (t *Ticket) Lane() *Lane { return t.lane }

// Succeeded says that the server took the call. If the call went after the
// last refusal, the refusals are over.
func (t *Ticket) Succeeded() { t.succeeded(now) }

func (t *Ticket) succeeded(clock func() int64) {
	b := t.budget
	if !b.troubled.Load() && !t.flying {
		return
	}
	b.lock()
	defer b.unlock()
	t.land()
	s := t.lane.scope
	if t.astray || t.sent <= s.cool.began {
		s.clock.late(t.sent, int64(t.cost))
		b.dispatch(b.settle(clock()))
		return
	}
	s.cool.strikes = 0
	at := b.settle(clock())
	if !s.clock.early(s.letThrough()) {
		b.permits.grow(at)
	}
	if s.clock.cell != nil {
		b.learnSuccess(t, at)
	}
	b.dispatch(at)
}

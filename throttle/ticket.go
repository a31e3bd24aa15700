package throttle

import "time"

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
	b.ended.Add(int64(t.cost))
	if len(policies) == 0 {
		return
	}
	b.lock()
	defer b.unlock()
	at := b.settle(clock())
	b.follow(b.takeIn(t, at, policies), at)
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
	if t.counted {
		t.counted = false
		b.permits.inUse--
	}
	t.land()
	b.dispatch(b.settle(clock()))
}

// Refused is Answered for a call that the server refused, and holds everybody
// back, in the same step, for a delay that the given function chooses by how many refusals there were in a
// row, this one included. Refusals of calls that went before the last refusal
// came are of the same event, and count once.
//
// It returns the delay. A server that keeps refusing is so left alone for
// longer and longer, whichever call it is that finds out.
func (t *Ticket) Refused(policies []Policy, delay func(strikes int) time.Duration) time.Duration {
	return t.refused(now(), policies, delay)
}

func (t *Ticket) refused(at int64, policies []Policy, delay func(strikes int) time.Duration) time.Duration {
	b := t.budget
	b.ended.Add(int64(t.cost))
	b.lock()
	defer b.unlock()
	b.settle(at)
	strays := b.strays(t)
	seen := b.takeIn(t, at, policies)
	t.land()
	if strays {
		b.rejected += int64(t.cost)
		b.follow(seen, at)
		return 0 // perhaps it would not have been refused, had it waited
	}
	first := t.sent > b.cool.began // of its flight
	if first {
		b.cool.strikes++
		b.cool.began = b.sent.Load()
	}
	defer func() { b.rejected += int64(t.cost) }()
	for c := range b.cells(t.lane) {
		c.share.refused(&c.gcra, at)
	}
	strikes := max(1, b.cool.strikes)
	if t.spent {
		strikes = 1 // it is the limit that we know: there is nothing to find out
	}
	d := max(0, delay(strikes))
	until := clamp(at + clamp(int64(d)))
	if first && !t.shadow && b.blind() {
		until = clamp(until + b.learnRefusal(t, at, until))
	}
	b.coolDown(until, at)
	b.follow(seen, at) // not before: nobody is to leave with the refusal
	return d
}

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
	if t.astray || t.sent <= b.cool.began {
		b.clock.late(t.sent, int64(t.cost))
		b.dispatch(b.settle(clock()))
		return
	}
	b.cool.strikes = 0
	b.permits.grow()
	at := b.settle(clock())
	if b.clock.cell != nil {
		b.learnSuccess(t, at)
	}
	b.dispatch(at)
}

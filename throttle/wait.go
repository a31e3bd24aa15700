package throttle

import (
	"context"
	"strconv"
	"time"
)

// Wait blocks until a call of cost 1 may go, or ctx is done. See [Budget.Acquire].
func (b *Budget) Wait(ctx context.Context) error { return b.wait(ctx, &b.main, 1) }

// Wait is [Budget.Wait] for a call of the lane.
func (l *Lane) Wait(ctx context.Context) error { return l.budget.wait(ctx, l, 1) }

// Allow reports whether a call of cost 1 may go now, and charges it if so. It
// does not block. While others wait it may not.
func (b *Budget) Allow() bool { return b.allow(&b.main, now(), 1) }

// Allow is [Budget.Allow] for a call of the lane.
func (l *Lane) Allow() bool { return l.budget.allow(l, now(), 1) }

// Acquire blocks until the call may go, or ctx is done, and charges it. Its
// ticket says when the call has ended, and lets what the server answered be
// told: see [Ticket].
//
// If the call would have to wait past ctx's deadline or MaxWait, or if too many
// wait already, Acquire returns a *[WaitError] at once; if no wait would let it
// go, a *[NeverError]; if its cost makes no sense, a *[FieldError]. If ctx is
// done first it returns ctx's error, and its cause. Nothing was charged then.
func (b *Budget) Acquire(ctx context.Context, call Call) (Ticket, error) {
	return b.acquire(ctx, &b.main, call)
}

// Acquire is [Budget.Acquire] for a call of the lane.
func (l *Lane) Acquire(ctx context.Context, call Call) (Ticket, error) {
	return l.budget.acquire(ctx, l, call)
}

func (b *Budget) acquire(ctx context.Context, l *Lane, call Call) (Ticket, error) {
	n := call.Cost
	if n == 0 {
		n = 1
	}
	if n < 0 || ctx.Err() != nil {
		return b.waitSlow(ctx, l, call, n, true)
	}
	b.touch()
	if l.fast.Load() == nil {
		return b.waitSlow(ctx, l, call, n, true)
	}
	// It counts as sent before it is charged: an answer to another call that is
	// looked at in between must not take it for one that never was.
	t := Ticket{budget: b, lane: l, cost: n, ended: l.scope.ended.Load(), sent: l.scope.sent.Add(int64(n))}
	var v verdict
	if v, t.at = b.pass(l, n); v == goes {
		return t, nil
	}
	l.scope.sent.Add(-int64(n))
	return b.waitSlow(ctx, l, call, n, true)
}

func (b *Budget) wait(ctx context.Context, l *Lane, n int) error {
	if n >= 0 && ctx.Err() == nil {
		if v, _ := b.pass(l, n); v == goes {
			return nil
		}
	}
	_, err := b.waitSlow(ctx, l, Call{}, n, false)
	return err
}

// pass lets a call go if nobody waits and its one limit conforms: one clock
// read and one compare-and-swap.
func (b *Budget) pass(l *Lane, n int) (verdict, int64) {
	c := l.fast.Load()
	switch {
	case c == nil || b.gate.Load():
		return slow, fresh
	case c.endless:
		return goes, fresh
	}
	at := now()
	return c.take(at, n), at
}

func (b *Budget) allow(l *Lane, at int64, n int) bool {
	if c := l.fast.Load(); c != nil && n >= 0 && !b.gate.Load() {
		if v := c.take(at, n); v != slow {
			return v == goes
		}
	}
	b.lock()
	defer b.unlock()
	b.settle(now())
	if n < 0 || b.waiting > 0 || b.bound.head != nil || b.never(l, n) != nil {
		return false
	}
	if due := b.due(l, n, false); due > at {
		b.lookAhead(l, n)
		return false
	}
	b.charge(l, at, n, false, false)
	return true
}

// due is when a call of the lane may go if nobody is ahead of it.
func (b *Budget) due(l *Lane, n int, counted bool) int64 {
	at, _ := b.commonEarliest(l.scope, n)
	return max(at, b.laneEarliest(l, n, counted))
}

func (b *Budget) waitSlow(ctx context.Context, l *Lane, call Call, n int, counted bool) (Ticket, error) {
	if n < 0 {
		return Ticket{}, badField("Cost", strconv.Itoa(n), "is not a positive number")
	}
	if ctx.Err() != nil {
		return Ticket{}, done(ctx)
	}
	w, t, err := b.enter(ctx, l, call, n, counted)
	if w == nil {
		return t, err
	}
	asked := now()
	t, err = b.sleep(ctx, w)
	t.waited, t.cause = time.Duration(now()-asked), w.cause
	return t, err
}

// Check returns the error with which Acquire would refuse the call at once, or
// nil if it would let it go or wait.
func (l *Lane) Check(ctx context.Context, call Call) error {
	b := l.budget
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	w := &waiter{lane: l, cost: max(1, call.Cost), class: call.Priority.class(), counted: true, again: call.Again}
	w.setDeadline(ctx, call, at)
	if err := b.never(l, w.cost); err != nil {
		return err
	}
	return b.refuse(w, at)
}

// enter lets the call go at once, or refuses it, or puts it into the queue.
func (b *Budget) enter(ctx context.Context, l *Lane, call Call, n int, counted bool) (*waiter, Ticket, error) {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	if err := b.never(l, n); err != nil {
		return nil, Ticket{}, err
	}
	nested := counted && b.permits.most() > 0 && b.holds(ctx)
	if b.waiting == 0 && b.bound.head == nil {
		if due := b.due(l, n, counted && !nested); due <= at {
			return nil, b.charge(l, at, n, counted, nested), nil
		}
	}
	w := &waiter{lane: l, cost: n, class: call.Priority.class(), counted: counted, nested: nested, again: call.Again}
	w.setDeadline(ctx, call, at)
	if err := b.refuse(w, at); err != nil {
		return nil, Ticket{}, err
	}
	b.queue(w)
	b.dispatch(at)
	if !w.queued {
		w.cause = "" // others wait, but not for what this one needs
	}
	return w, Ticket{}, nil
}

// queue puts w into the queue of its lane.
func (b *Budget) queue(w *waiter) {
	if b.seq++; w.again {
		w.seq = b.seq
	} else {
		w.seq = b.seq | 1<<63 // after all that were let go before
	}
	w.ready = make(chan struct{})
	w.lane.queues[w.class].add(w)
	b.waiting++
}

func (w *waiter) setDeadline(ctx context.Context, call Call, at int64) {
	w.deadline = far
	if call.MaxWait > 0 {
		w.deadline = clamp(at + clamp(int64(call.MaxWait)))
	}
	if d, ok := ctx.Deadline(); ok && instant(d) <= w.deadline {
		w.deadline, w.byContext = instant(d), true
	}
}

// tooLate reports whether a slot is past the deadline. MaxWait may be used up
// to the full; a context whose deadline has come is of no use to anybody.
func (w *waiter) tooLate(due int64) bool {
	return due > w.deadline || w.byContext && due == w.deadline
}

// refuse returns the error for a newcomer that must not wait, or nil.
func (b *Budget) refuse(w *waiter, at int64) error {
	due, cause := b.expect(w, b.newcomer(w, at), at)
	w.cause = cause
	if w.tooLate(due) {
		b.lookAhead(w.lane, w.cost)
		return b.waitError(w, due, at, cause)
	}
	if b.waiting >= b.maxQueue() && !w.again {
		e := b.waitError(w, due, at, CauseQueue)
		e.Err = ErrQueueFull
		return e
	}
	return nil
}

func (b *Budget) waitError(w *waiter, due, at int64, cause Cause) *WaitError {
	wait := time.Duration(max(0, due-at))
	e := &WaitError{Key: b.key, Cause: cause, Wait: wait, At: time.Now().Add(wait), Err: ErrMaxWait}
	if w.byContext {
		e.Err = context.DeadlineExceeded
	}
	return e
}

// sleep waits until w may go, or ctx or its own deadline ends.
func (b *Budget) sleep(ctx context.Context, w *waiter) (Ticket, error) {
	var expired <-chan time.Time
	if w.deadline < far && !w.byContext {
		timer := time.NewTimer(time.Duration(w.deadline - now()))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-w.ready:
		return w.ticket, w.err
	case <-ctx.Done():
		if b.leave(w) {
			return Ticket{}, done(ctx)
		}
	case <-expired:
		if err := b.giveUp(w); err != nil {
			return Ticket{}, err
		}
	}
	<-w.ready // it was let go at the very moment
	return w.ticket, w.err
}

// leave takes w out of the queue. It reports false if w was let go already, or
// is at this instant.
func (b *Budget) leave(w *waiter) bool {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	b.dispatch(at)
	if !w.queued {
		return false
	}
	b.unqueue(w)
	if w.bound {
		b.giveBack(w.cell, w.before, w.end, w.cost)
	}
	b.dispatch(at)
	return true
}

// giveUp is leave for a waiter whose own deadline has come.
func (b *Budget) giveUp(w *waiter) error {
	if !b.leave(w) {
		return nil
	}
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	due, cause := b.expect(w, line{}, at)
	if due <= at && cause == CauseLimit && b.remote != nil {
		cause = CauseStore
	}
	return b.waitError(w, due, at, cause)
}

func (b *Budget) maxQueue() int {
	if b.queueAt > 0 {
		return b.queueAt
	}
	return defaultQueue
}

// SetMaxQueue bounds how many may wait. Zero or less means 100,000.
func (b *Budget) SetMaxQueue(n int) {
	b.lock()
	defer b.unlock()
	b.queueAt = max(0, n)
}

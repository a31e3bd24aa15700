package throttle

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Limiter is a [Budget] with one limit, and takes the place of
// [rate.Limiter]: the same methods, the same meaning of limit and burst. Most
// callers want Wait. What differs:
//
//   - A call that is cancelled while it waits in Wait costs nothing, and those
//     behind it move up. Wait binds no slot before it is due.
//   - SetLimit, SetBurst and a cool-down re-plan those who sleep in Wait.
//   - Allow fails while others wait.
//   - A wait past the deadline is a *[WaitError], for which
//     errors.Is(err, context.DeadlineExceeded) holds; a call above the burst is
//     a *[NeverError], and a rate or a burst that makes no sense a *[FieldError].
//   - The limit holds for instants that are given out of order as well.
//   - Rates are up to one call a nanosecond, or [rate.Inf].
//
// The zero Limiter rejects all, as that of x/time does. A Limiter may be shared
// between goroutines, and must not be copied after first use.
type Limiter struct {
	b    Budget
	once sync.Once
}

// NewLimiter returns a limiter that allows calls at rate r with bursts of up to
// b, and is full. A burst of 0 allows nothing, unless r is [rate.Inf].
func NewLimiter(r rate.Limit, b int) *Limiter {
	l := &Limiter{}
	l.once.Do(func() { l.start(Limit{Rate: r, Burst: b}) })
	return l
}

func (l *Limiter) start(limit Limit) {
	l.b.byHand = []*cell{newCell(limit)}
	l.b.init()
}

func (l *Limiter) budget() *Budget {
	if l.b.main.fast.Load() == nil {
		l.once.Do(func() { l.start(Limit{}) })
	}
	return &l.b
}

// Budget returns the budget behind the limiter, for what the server says: its
// cool-down, and the limits it publishes.
func (l *Limiter) Budget() *Budget { return l.budget() }

// Wait is WaitN of 1.
func (l *Limiter) Wait(ctx context.Context) error { return l.WaitN(ctx, 1) }

// WaitN blocks until n may go, or ctx is done. See [Budget.Acquire] for its
// errors; nothing was used up then.
func (l *Limiter) WaitN(ctx context.Context, n int) error {
	b := l.budget()
	return b.wait(ctx, &b.main, n)
}

// Allow is AllowN of 1, now.
func (l *Limiter) Allow() bool { return l.allow(now(), 1) }

// AllowN reports whether n may go at instant t, and uses them up if so. It does
// not block.
func (l *Limiter) AllowN(t time.Time, n int) bool { return l.allow(instant(t), n) }

func (l *Limiter) allow(at int64, n int) bool {
	b := l.budget()
	return b.allow(&b.main, at, n)
}

// Reserve is ReserveN of 1, now.
func (l *Limiter) Reserve() *Reservation { return l.reserve(now(), 1) }

// ReserveN binds the slot at which n may go, after all who wait, and says how
// long the caller has to wait for it. Use it to wait in a way of your own; else
// use Wait, whose slots are given only when they are due.
func (l *Limiter) ReserveN(t time.Time, n int) *Reservation { return l.reserve(instant(t), n) }

func (l *Limiter) reserve(at int64, n int) *Reservation {
	b := l.budget()
	b.lock()
	defer b.unlock()
	if n < 0 || b.remote != nil || b.never(&b.main, n) != nil {
		return &Reservation{limiter: l}
	}
	current := b.settle(now())
	slot := max(at, b.bind(current))
	due := b.due(&b.main, n, false)
	if slot = max(slot, due); slot >= far {
		return &Reservation{limiter: l}
	}
	c := l.cell()
	if c.endless {
		return &Reservation{ok: true, limiter: l, cost: n, slot: slot}
	}
	tat := b.hold(c)
	r := &Reservation{ok: true, limiter: l, cell: c, cost: n, slot: slot, before: *tat}
	b.charge(&b.main, slot, n, false, false)
	r.end = *tat
	b.dispatch(current)
	return r
}

// Tokens is TokensAt now.
func (l *Limiter) Tokens() float64 { return l.tokens(now()) }

// TokensAt returns how many could go at once at instant t. What those who wait
// have asked for counts as spent, so that it may be negative.
func (l *Limiter) TokensAt(t time.Time) float64 { return l.tokens(instant(t)) }

func (l *Limiter) tokens(at int64) float64 {
	b := l.budget()
	b.lock()
	defer b.unlock()
	c := l.cell()
	if c.endless {
		return float64(c.limit.Burst)
	}
	level := c.level(b.tat(c), at)
	for _, q := range b.main.queues {
		level -= float64(q.cost)
	}
	return level
}

// Limit returns the rate, in calls a second.
func (l *Limiter) Limit() rate.Limit { return l.limit().Rate }

// Burst returns how many calls may go back to back from rest.
func (l *Limiter) Burst() int { return l.limit().Burst }

func (l *Limiter) limit() Limit {
	b := l.budget()
	b.mu.Lock()
	defer b.mu.Unlock()
	return l.cell().limit
}

// SetLimit is SetLimitAt now.
func (l *Limiter) SetLimit(r rate.Limit) {
	l.set(now(), func(old *Limit) { old.Rate = r })
}

// SetLimitAt changes the rate. What could go at once before can after, and
// those who wait are re-planned.
func (l *Limiter) SetLimitAt(t time.Time, r rate.Limit) {
	l.set(instant(t), func(old *Limit) { old.Rate = r })
}

// SetBurst is SetBurstAt now.
func (l *Limiter) SetBurst(n int) {
	l.set(now(), func(old *Limit) { old.Burst = n })
}

// SetBurstAt changes the burst. What could go at once before can after, as far
// as the new burst allows; nobody gains a burst by it.
func (l *Limiter) SetBurstAt(t time.Time, n int) {
	l.set(instant(t), func(old *Limit) { old.Burst = n })
}

func (l *Limiter) set(at int64, change func(*Limit)) {
	b := l.budget()
	b.lock()
	defer b.unlock()
	limit := l.cell().limit
	change(&limit)
	c := newCell(limit)
	b.replace(b.byHand, []*cell{c}, at)
	b.byHand = []*cell{c}
	b.replan(b.settle(now()))
}

// cell is the limiter's own limit. There is none if somebody took it away by
// way of the budget.
func (l *Limiter) cell() *cell {
	if len(l.b.byHand) == 0 {
		return unlimited
	}
	return l.b.byHand[0]
}

package throttle

import (
	"context"
	"strconv"
	"time"
)

// A Call is what the schedule has to know of one call. The zero Call costs 1,
// has normal priority, and waits for as long as its context lets it.
type Call struct {
	Cost     int // 0 is 1
	Priority Priority

	// MaxWait is the longest wait, in the same way as a deadline: a call that
	// would have to wait longer is refused at once. The context's deadline
	// holds as well. Zero or less means no bound of its own.
	MaxWait time.Duration

	// Again says that the call was let go before, and came to nothing: it keeps
	// its place, ahead of those of its lane and priority that still wait to be let
	// go for the first time, and there is always room for it in the queue.
	Again bool
}

type settings struct {
	cost     int
	hasCost  bool
	priority Priority
	without  bool
}

type settingsKey struct{}

// WithCost returns a context for calls that use up n of a limit. An n below 1
// is a *[FieldError] at the call.
func WithCost(ctx context.Context, n int) context.Context {
	s := settingsOf(ctx)
	s.cost, s.hasCost = n, true
	return context.WithValue(ctx, settingsKey{}, &s)
}

// WithPriority returns a context for calls that wait in the given class.
func WithPriority(ctx context.Context, p Priority) context.Context {
	s := settingsOf(ctx)
	s.priority = p
	return context.WithValue(ctx, settingsKey{}, &s)
}

// WithoutLimit returns a context for calls that neither wait nor count: they
// are sent at once, once, and are not retried.
func WithoutLimit(ctx context.Context) context.Context {
	s := settingsOf(ctx)
	s.without = true
	return context.WithValue(ctx, settingsKey{}, &s)
}

func settingsOf(ctx context.Context) settings {
	if s, ok := ctx.Value(settingsKey{}).(*settings); ok {
		return *s
	}
	return settings{}
}

// FromContext returns the call that [WithCost] and [WithPriority] describe, and
// whether [WithoutLimit] took it out of all limits. The error is a
// *[FieldError]. It is for those who build on this package.
func FromContext(ctx context.Context) (call Call, limited bool, err error) {
	s, ok := ctx.Value(settingsKey{}).(*settings)
	if !ok {
		return Call{}, true, nil
	}
	if s.hasCost && s.cost < 1 {
		return Call{}, true, badField("Cost", strconv.Itoa(s.cost), "is not a positive number")
	}
	return Call{Cost: s.cost, Priority: s.priority}, !s.without, nil
}

type holderKey struct{}

// WithPermit returns a context for calls that are part of the call of ticket t,
// such as one that gets it a token: they take no permit of their own from the
// same budget, for which they might have to wait until their own call ends.
func WithPermit(ctx context.Context, t *Ticket) context.Context {
	return context.WithValue(ctx, holderKey{}, t.budget)
}

// holds reports whether ctx is that of a call which holds a permit of b.
func (b *Budget) holds(ctx context.Context) bool {
	return ctx.Value(holderKey{}) == b
}

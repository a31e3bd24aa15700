package backoff

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	cenkalti "github.com/cenkalti/backoff/v4"
)

// ErrPermanent is the cause when an attempt failed with a [Permanent] error.
var ErrPermanent = errors.New("backoff: error is permanent")

// Permanent marks err as one that no further attempt can cure. Retry stops at
// it, however deep it is wrapped. Permanent(nil) is nil.
//
// The result is a *PermanentError of github.com/cenkalti/backoff/v4, so both
// packages know each other's.
func Permanent(err error) error { return cenkalti.Permanent(err) }

// Retry calls op until it succeeds, waiting as p says between attempts, and
// returns what the last attempt returned. Values of earlier ones are dropped:
// op must release what they hold.
//
// It gives up when op returns a [Permanent] error, when p's MaxAttempts or
// MaxElapsed is used up, when ctx is done, or when the next wait would not end
// before ctx's deadline; in this last case at once, without waiting. The error
// is then a *[RetryError], which wraps both the reason and op's last error.
//
// If errors in the chain of op's error have a method
//
//	RetryAfter() time.Duration
//
// the longest is a hint to [Policy.Delay]: the wait is at least that long.
//
// Retry blocks, in the caller's goroutine, for as long as op does and the
// waits take. It passes ctx on to op, and never runs op twice at a time. If p
// is not valid or ctx already done, op is not called.
func Retry[T any](ctx context.Context, p Policy, op func(ctx context.Context) (T, error)) (T, error) {
	var v T
	if err := p.Validate(); err != nil {
		return v, &RetryError{Cause: err}
	}
	if err := done(ctx); err != nil {
		return v, &RetryError{Cause: err}
	}
	seq := p.Start()
	for n := 1; ; n++ {
		v, err := op(ctx)
		if err == nil {
			return v, nil
		}
		if wait, cause := pause(ctx, seq, err); cause != nil {
			return v, &RetryError{Attempts: n, Wait: wait, Cause: cause, Err: err}
		}
	}
}

// pause waits for the next attempt after one that failed with err. If there is
// to be none it returns why, and the wait that was not made or not completed.
func pause(ctx context.Context, seq *Sequence, err error) (time.Duration, error) {
	if _, ok := errors.AsType[*cenkalti.PermanentError](err); ok {
		return 0, ErrPermanent
	}
	if cause := done(ctx); cause != nil {
		return 0, cause
	}
	wait, cause := seq.Next(hintOf(err))
	if cause != nil {
		return wait, cause
	}
	// An attempt that starts at the deadline has no time, so equal is too long.
	if deadline, ok := ctx.Deadline(); ok && wait >= time.Until(deadline) {
		return wait, context.DeadlineExceeded
	}
	return wait, sleep(ctx, wait)
}

// sleep waits for d, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return done(ctx) // of two that are ready, select takes either
}

// done returns nil while ctx is not done, then an error that wraps both
// ctx.Err and context.Cause, since callers look for either.
func done(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == nil {
		return nil
	}
	if err := ctx.Err(); !errors.Is(cause, err) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return cause
}

// hintOf returns the longest delay that an error in err's tree asks for. The
// first would not do: after several calls, the shorter wait is not enough.
func hintOf(err error) time.Duration {
	var longest time.Duration
	if e, ok := any(err).(interface{ RetryAfter() time.Duration }); ok {
		longest = e.RetryAfter()
	}
	switch e := any(err).(type) {
	case interface{ Unwrap() error }:
		longest = max(longest, hintOf(e.Unwrap()))
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			longest = max(longest, hintOf(err))
		}
	}
	return longest
}

// A RetryError is what [Retry] returns when it gives up. errors.Is and
// errors.As look into both Cause and Err.
type RetryError struct {
	// Attempts is how often the operation was called.
	Attempts int

	// Wait is the wait that was not begun because it would have taken too
	// long, or that ctx cut short; zero if it was not about a wait.
	Wait time.Duration

	// Cause says why there was no further attempt: ErrAttempts, ErrElapsed,
	// ErrPermanent, [context.DeadlineExceeded] if the wait was too long for the
	// context, what ended the context (both its Err and its Cause), or a
	// *PolicyError.
	Cause error

	// Err is the error of the last attempt; nil if there was none.
	Err error
}

func (e *RetryError) Error() string {
	// The causes of this package start with its name, too.
	cause := strings.TrimPrefix(e.Cause.Error(), "backoff: ")
	if e.Err == nil {
		return "backoff: not attempted: " + cause
	}
	if e.Wait > 0 {
		cause = fmt.Sprintf("wait of %v: %s", e.Wait, cause)
	}
	return fmt.Sprintf("backoff: gave up after attempt %d: %s: %v", e.Attempts, cause, e.Err)
}

// Unwrap returns Cause and, if there is one, Err.
func (e *RetryError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Cause}
	}
	return []error{e.Cause, e.Err}
}

// Timeout reports whether it was time that ran out. It is false if the last
// attempt timed out and another would have been allowed to follow.
func (e *RetryError) Timeout() bool { return errors.Is(e.Cause, context.DeadlineExceeded) }

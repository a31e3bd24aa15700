package throttle

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Cause says what a call would have had to wait for.
type Cause string

// What holds calls back.
const (
	CauseLimit       Cause = "limit"       // the rate and burst of a limit
	CauseCoolDown    Cause = "cool-down"   // the server refused, and said until when
	CauseConcurrency Cause = "concurrency" // as many calls as allowed are under way
	CauseQueue       Cause = "queue"       // as many calls as allowed are waiting
	CauseStore       Cause = "store"       // the store of the budget has not answered yet
)

// Why a [WaitError] was not a wait.
var (
	// ErrMaxWait: the wait would be longer than the caller's MaxWait. It is a
	// deadline as well: errors.Is(ErrMaxWait, context.DeadlineExceeded).
	ErrMaxWait error = maxWaitError{}

	// ErrQueueFull: too many are waiting already.
	ErrQueueFull = errors.New("too many calls are waiting")
)

type maxWaitError struct{}

func (maxWaitError) Error() string        { return "longer than the longest wait allowed" }
func (maxWaitError) Is(target error) bool { return target == context.DeadlineExceeded }

// A WaitError reports that a call was refused here, before anything was sent,
// because it would have had to wait too long. Nothing was used up.
//
// errors.Is(err, context.DeadlineExceeded) holds, and Timeout is true, where
// the deadline of the context or MaxWait was the reason.
type WaitError struct {
	Key   string        // of the budget; empty if it has none
	Cause Cause         // what the call would have had to wait for
	Wait  time.Duration // how long it would have had to wait, at least
	At    time.Time     // the earliest instant at which it may be tried
	Err   error         // context.DeadlineExceeded, ErrMaxWait or ErrQueueFull
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("throttle: %snot sent: wait of %v for the %s: %v", forKey(e.Key), e.Wait, e.Cause, e.Err)
}

// Unwrap returns Err.
func (e *WaitError) Unwrap() error { return e.Err }

// Timeout reports whether a deadline was the reason. It lets
// [net/url.Error.Timeout] see through to it.
func (e *WaitError) Timeout() bool { return errors.Is(e.Err, context.DeadlineExceeded) }

// A NeverError reports that no wait would let the call go: it costs more than
// the burst of a limit, or the limit has the rate 0 and its burst is used up.
// It was refused here, before anything was sent, and nothing was used up.
type NeverError struct {
	Key   string // of the budget; empty if it has none
	Cost  int
	Limit Limit
}

func (e *NeverError) Error() string {
	if e.Cost > e.Limit.Burst {
		return fmt.Sprintf("throttle: %snever sent: cost %d is above the burst of %d", forKey(e.Key), e.Cost, e.Limit.Burst)
	}
	return fmt.Sprintf("throttle: %snever sent: the burst of %d is used up, and the rate is 0", forKey(e.Key), e.Limit.Burst)
}

// A FieldError reports a value that makes no sense, and where it stands.
type FieldError struct {
	Field   string // for instance "Rate"
	Value   string
	Problem string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("throttle: %s: %s %s", e.Field, e.Value, e.Problem)
}

func badField(field, value, problem string) error {
	return &FieldError{Field: field, Value: value, Problem: problem}
}

// A doneError is the end of a context that ended with a cause of its own: both
// are to be found by errors.Is.
type doneError struct{ err, cause error }

func (e *doneError) Error() string   { return e.cause.Error() }
func (e *doneError) Unwrap() []error { return []error{e.err, e.cause} }
func (e *doneError) Timeout() bool   { return errors.Is(e.err, context.DeadlineExceeded) }

// done returns why ctx is done.
func done(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(err, cause) {
		return err
	}
	return &doneError{err, cause}
}

func forKey(key string) string {
	if key == "" {
		return ""
	}
	return key + ": "
}

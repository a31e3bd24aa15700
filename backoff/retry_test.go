package backoff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	cenkalti "github.com/cenkalti/backoff/v4"
)

var errBoom = errors.New("boom")

// busy is an error that carries a hint, as a caller might define it.
type busy time.Duration

func (b busy) Error() string             { return "busy" }
func (b busy) RetryAfter() time.Duration { return time.Duration(b) }

// failing returns an operation that fails with errs, one after another and the
// last for ever; nil is success. It returns how often it was called.
func failing(errs ...error) func(context.Context) (int, error) {
	n := 0
	return func(context.Context) (int, error) {
		n++
		return n, errs[min(n, len(errs))-1]
	}
}

func TestRetry(t *testing.T) {
	withElapsed := steady
	withElapsed.MaxElapsed = 3 * time.Second
	for _, tt := range []struct {
		name    string
		policy  Policy
		timeout time.Duration // zero means none
		op      func(context.Context) (int, error)

		attempts int           // what op returned last
		took     time.Duration // until Retry returned
		wait     time.Duration // RetryError.Wait
		cause    error         // nil means success
	}{
		{name: "success", policy: steady, op: failing(nil), attempts: 1},
		{name: "success at the third", policy: steady, op: failing(errBoom, errBoom, nil), attempts: 3, took: 3 * time.Second},
		{name: "attempts used up", policy: steady, op: failing(errBoom), attempts: 5, took: 15 * time.Second, cause: ErrAttempts},
		{name: "one attempt", policy: Policy{MaxAttempts: 1}, op: failing(errBoom), attempts: 1, cause: ErrAttempts},
		{name: "permanent", policy: steady, op: failing(errBoom, Permanent(errBoom)), attempts: 2, took: time.Second, cause: ErrPermanent},
		{name: "permanent of cenkalti", policy: steady, op: failing(cenkalti.Permanent(errBoom)), attempts: 1, cause: ErrPermanent},
		{name: "permanent in a chain", policy: steady, op: failing(fmt.Errorf("call: %w", Permanent(errBoom))), attempts: 1, cause: ErrPermanent},
		{name: "elapsed", policy: withElapsed, op: failing(errBoom), attempts: 3, took: 3 * time.Second, wait: 4 * time.Second, cause: ErrElapsed},
		{name: "hint beyond MaxElapsed", policy: withElapsed, op: failing(busy(time.Hour)), attempts: 1, wait: time.Hour, cause: ErrElapsed},
		{name: "hint", policy: steady, op: failing(busy(time.Minute), nil), attempts: 2, took: time.Minute},
		{name: "hint in a chain", policy: steady, op: failing(fmt.Errorf("call: %w", busy(time.Minute)), nil), attempts: 2, took: time.Minute},
		{name: "longest hint", policy: steady, op: failing(errors.Join(busy(time.Minute), busy(time.Hour), errBoom), nil), attempts: 2, took: time.Hour},
		{name: "hint shorter than the delay", policy: steady, op: failing(busy(1), nil), attempts: 2, took: time.Second},
		{name: "negative hint", policy: steady, op: failing(busy(math.MinInt64), nil), attempts: 2, took: time.Second},
		{name: "deadline", policy: steady, timeout: 6 * time.Second, op: failing(errBoom), attempts: 3, took: 3 * time.Second, wait: 4 * time.Second, cause: context.DeadlineExceeded},
		{name: "deadline when the wait ends", policy: steady, timeout: time.Second, op: failing(errBoom), attempts: 1, wait: time.Second, cause: context.DeadlineExceeded},
		{name: "deadline just after the wait", policy: steady, timeout: time.Second + 1, op: failing(errBoom, nil), attempts: 2, took: time.Second},
		{name: "hint beyond the deadline", policy: steady, timeout: 5 * time.Minute, op: failing(busy(10 * time.Minute)), attempts: 1, wait: 10 * time.Minute, cause: context.DeadlineExceeded},
		{name: "largest hint", policy: steady, timeout: time.Hour, op: failing(busy(forever)), attempts: 1, wait: forever, cause: context.DeadlineExceeded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
					defer cancel()
				}
				start := time.Now()
				n, err := Retry(ctx, tt.policy, tt.op)
				if took := time.Since(start); n != tt.attempts || took != tt.took {
					t.Errorf("%d attempts in %v, want %d in %v", n, took, tt.attempts, tt.took)
				}
				if tt.cause == nil {
					if err != nil {
						t.Errorf("error %v, want none", err)
					}
					return
				}
				e, ok := errors.AsType[*RetryError](err)
				if !ok {
					t.Fatalf("error %v, want a RetryError", err)
				}
				same := errors.Is(e.Cause, tt.cause) && errors.Is(tt.cause, e.Cause)
				if !same || e.Attempts != tt.attempts || e.Wait != tt.wait {
					t.Errorf("%#v; want cause %v, %d attempts, wait %v", e, tt.cause, tt.attempts, tt.wait)
				}
				if !errors.Is(err, tt.cause) || !errors.Is(err, e.Err) || e.Err == nil {
					t.Errorf("%v does not wrap %v and the last error, %v", err, tt.cause, e.Err)
				}
			})
		})
	}
}

// A cancelled wait ends at once, and neither why nor the last error is lost.
func TestRetryCancelledInAWait(t *testing.T) {
	errShutdown := errors.New("shutting down")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(2*time.Second, func() { cancel(errShutdown) })
		start := time.Now()
		n, err := Retry(ctx, steady, failing(errBoom))
		if took := time.Since(start); n != 2 || took != 2*time.Second {
			t.Errorf("%d attempts in %v, want 2 in 2s", n, took)
		}
		for _, want := range []error{errShutdown, context.Canceled, errBoom} {
			if !errors.Is(err, want) {
				t.Errorf("%v does not wrap %v", err, want)
			}
		}
		if e, ok := errors.AsType[*RetryError](err); !ok || e.Attempts != 2 || e.Wait != 2*time.Second || e.Timeout() {
			t.Errorf("%#v; want 2 attempts, wait 2s, no timeout", err)
		}
	})
}

// When a wait is over and its context done as well, the context counts.
func TestSleepPrefersContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if err := sleep(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Fatalf("sleep = %v, want context canceled", err)
		}
	}
}

// The context ends while the operation runs: no wait, even a short one.
func TestRetryCancelledInAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		_, err := Retry(ctx, steady, func(context.Context) (int, error) {
			cancel()
			return 0, errBoom
		})
		if time.Since(start) != 0 || !errors.Is(err, context.Canceled) || !errors.Is(err, errBoom) {
			t.Errorf("%v after %v; want canceled and boom at once", err, time.Since(start))
		}
		if e, ok := errors.AsType[*RetryError](err); !ok || e.Wait != 0 {
			t.Errorf("%#v; want no wait", err)
		}
	})
}

func TestRetryDoesNotStart(t *testing.T) {
	errShutdown := errors.New("shutting down")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errShutdown)
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		policy Policy
		want   string
	}{
		{"context is done", ctx, Policy{}, "backoff: not attempted: context canceled: shutting down"},
		{"policy is not valid", t.Context(), Policy{Multiplier: 0.5}, "backoff: not attempted: Policy.Multiplier is not a finite number from 1 up: 0.5"},
	} {
		n, err := Retry(tt.ctx, tt.policy, failing(nil))
		if n != 0 || err == nil || err.Error() != tt.want {
			t.Errorf("%s: Retry = %d, %v; want 0, %s", tt.name, n, err, tt.want)
		}
		if e, ok := errors.AsType[*RetryError](err); !ok || e.Attempts != 0 || e.Err != nil {
			t.Errorf("%s: %#v, want a RetryError with no attempt", tt.name, err)
		}
	}
	_, err := Retry(t.Context(), Policy{Min: -1}, failing(nil))
	if e, ok := errors.AsType[*PolicyError](err); !ok || e.Field != "Min" {
		t.Errorf("%v, want a PolicyError about Min", err)
	}
}

// The operation sees the values and the deadline of the caller's context.
func TestRetryPassesContext(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	got, err := Retry(ctx, Policy{}, func(ctx context.Context) (any, error) { return ctx.Value(key{}), nil })
	if got != "value" || err != nil {
		t.Errorf("Retry = %v, %v; want value", got, err)
	}
}

// Always refused with Retry-After 0, for two seconds: at most five requests,
// whatever is drawn.
func TestRetryZeroHintIsNoHotLoop(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			n, err := Retry(ctx, Policy{MaxAttempts: math.MaxInt}, failing(busy(0)))
			if n < 3 || n > 5 || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%d attempts, %v; want 3 to 5 until the deadline", n, err)
			}
		})
	}
}

// hinted is a hint around another error.
type hinted struct {
	busy
	err error
}

func (h hinted) Unwrap() error { return h.err }

func TestHintOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want time.Duration
	}{
		{errBoom, 0},
		{busy(5), 5},
		{hinted{5, errBoom}, 5},
		{hinted{5, busy(3)}, 5},
		{hinted{3, busy(5)}, 5},
		{hinted{3, nil}, 3},
		{errors.Join(busy(3), hinted{4, busy(5)}, busy(2)), 5},
		{&RetryError{Cause: ErrAttempts, Err: busy(5)}, 5},
	} {
		if got := hintOf(tt.err); got != tt.want {
			t.Errorf("hintOf(%#v) = %v, want %v", tt.err, got, tt.want)
		}
	}
}

func TestRetryErrorUnwrap(t *testing.T) {
	for _, tt := range []struct {
		err  RetryError
		want []error
	}{
		{RetryError{Cause: ErrAttempts, Err: errBoom}, []error{ErrAttempts, errBoom}},
		{RetryError{Cause: context.Canceled}, []error{context.Canceled}},
	} {
		if got := tt.err.Unwrap(); !slices.Equal(got, tt.want) {
			t.Errorf("%#v.Unwrap() = %v, want %v", tt.err, got, tt.want)
		}
	}
}

func TestRetryErrorText(t *testing.T) {
	for _, tt := range []struct {
		err     RetryError
		want    string
		timeout bool
	}{
		{RetryError{Attempts: 4, Cause: ErrAttempts, Err: errBoom}, "backoff: gave up after attempt 4: all attempts are used up: boom", false},
		{RetryError{Attempts: 4, Cause: ErrAttempts, Err: context.DeadlineExceeded}, "backoff: gave up after attempt 4: all attempts are used up: context deadline exceeded", false},
		{RetryError{Attempts: 1, Cause: ErrPermanent, Err: errBoom}, "backoff: gave up after attempt 1: error is permanent: boom", false},
		{RetryError{Attempts: 1, Wait: time.Hour, Cause: context.DeadlineExceeded, Err: errBoom}, "backoff: gave up after attempt 1: wait of 1h0m0s: context deadline exceeded: boom", true},
		{RetryError{Attempts: 1, Wait: time.Hour, Cause: ErrElapsed, Err: errBoom}, "backoff: gave up after attempt 1: wait of 1h0m0s: next wait would pass MaxElapsed: context deadline exceeded: boom", true},
	} {
		if got := tt.err.Error(); got != tt.want || tt.err.Timeout() != tt.timeout {
			t.Errorf("%q, timeout %t; want %q, %t", got, tt.err.Timeout(), tt.want, tt.timeout)
		}
	}
}

func TestPermanentOfNil(t *testing.T) {
	if err := Permanent(nil); err != nil {
		t.Errorf("Permanent(nil) = %v, want nil", err)
	}
}

func BenchmarkRetry(b *testing.B) {
	b.ReportAllocs()
	op := failing(nil)
	for b.Loop() {
		if _, err := Retry(b.Context(), Policy{}, op); err != nil {
			b.Fatal(err)
		}
	}
}

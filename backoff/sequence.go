package backoff

import (
	"context"
	"errors"
	"fmt"
	"time"

	cenkalti "github.com/cenkalti/backoff/v4"
)

var (
	// ErrAttempts is the cause when MaxAttempts attempts have been made.
	ErrAttempts = errors.New("backoff: all attempts are used up")

	// ErrElapsed is the cause when the next wait would pass MaxElapsed. It
	// wraps [context.DeadlineExceeded].
	ErrElapsed = fmt.Errorf("backoff: next wait would pass MaxElapsed: %w", context.DeadlineExceeded)
)

var _ cenkalti.BackOff = (*Sequence)(nil)

// A Sequence yields the delays of one call, one after another. Code that waits
// by itself takes them from [Sequence.Next]. A Sequence is also a BackOff of
// github.com/cenkalti/backoff/v4.
//
// The zero Sequence is that of the zero Policy. A Sequence has state: use it
// for one call, from one goroutine at a time.
type Sequence struct {
	policy Policy
	next   int // number of the next retry, counting from zero
	start  time.Time
}

// Start returns a new Sequence, for a call whose first attempt begins now.
func (p Policy) Start() *Sequence {
	return &Sequence{policy: p, start: time.Now()}
}

// Next returns how long to wait before the next retry; it does not wait. As in
// [Policy.Delay], hint is what the server asked for, or zero.
//
// The error is ErrAttempts or ErrElapsed if there is to be no further retry.
// With ErrElapsed, Next also returns the delay that would have been too long.
func (s *Sequence) Next(hint time.Duration) (time.Duration, error) {
	p := s.policy.resolved()
	if s.next >= p.MaxAttempts-1 {
		return 0, ErrAttempts
	}
	d := p.delay(s.next, hint)
	if p.MaxElapsed > 0 && d > p.MaxElapsed-time.Since(s.start) {
		return d, ErrElapsed
	}
	s.next++
	return d, nil
}

// NextBackOff returns the next delay, without a hint, or cenkalti's Stop.
func (s *Sequence) NextBackOff() time.Duration {
	d, err := s.Next(0)
	if err != nil {
		return cenkalti.Stop
	}
	return d
}

// Reset starts the sequence again, as of now.
func (s *Sequence) Reset() {
	s.next, s.start = 0, time.Now()
}

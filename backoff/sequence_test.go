package backoff

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	cenkalti "github.com/cenkalti/backoff/v4"
)

// steady has no randomness, so tests can name exact instants: it waits 1 s,
// 2 s, 4 s and 8 s from then on, and tries five times.
var steady = Policy{Min: time.Second, Max: 8 * time.Second, Jitter: NoJitter, MaxAttempts: 5}

func TestSequence(t *testing.T) {
	seq := steady.Start()
	for range 2 {
		for n, seconds := range []int{1, 2, 4, 8} {
			if got, want := seq.NextBackOff(), time.Duration(seconds)*time.Second; got != want {
				t.Errorf("delay %d is %v, want %v", n, got, want)
			}
		}
		for range 2 {
			if got := seq.NextBackOff(); got != cenkalti.Stop {
				t.Errorf("delay after the last is %v, want Stop", got)
			}
		}
		seq.Reset()
	}
}

func TestSequenceTakesHints(t *testing.T) {
	seq := steady.Start()
	for n, tt := range []struct{ hint, want time.Duration }{
		{0, time.Second},
		{time.Minute, time.Minute},
		{time.Second, 4 * time.Second}, // a hint does not take the place of a step
		{-1, 8 * time.Second},
	} {
		if got, err := seq.Next(tt.hint); got != tt.want || err != nil {
			t.Errorf("delay %d: Next(%v) = %v, %v; want %v", n, tt.hint, got, err, tt.want)
		}
	}
	if got, err := seq.Next(time.Hour); got != 0 || !errors.Is(err, ErrAttempts) {
		t.Errorf("Next after the last = %v, %v; want 0, ErrAttempts", got, err)
	}
}

// A wait that ends exactly at MaxElapsed is allowed, a longer one refused; the
// refusal tells how long it would have been and uses nothing up.
func TestSequenceMaxElapsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := steady
		p.MaxElapsed = 10 * time.Second
		seq := p.Start()
		time.Sleep(4 * time.Second)
		if got, err := seq.Next(6*time.Second + 1); got != 6*time.Second+1 || !errors.Is(err, ErrElapsed) {
			t.Errorf("Next = %v, %v; want 6.000000001s, ErrElapsed", got, err)
		}
		if got, err := seq.Next(6 * time.Second); got != 6*time.Second || err != nil {
			t.Errorf("Next = %v, %v; want 6s", got, err)
		}
		time.Sleep(6 * time.Second)
		if got, err := seq.Next(0); got != 2*time.Second || !errors.Is(err, ErrElapsed) {
			t.Errorf("Next = %v, %v; want 2s, ErrElapsed", got, err)
		}
		seq.Reset()
		if got, err := seq.Next(0); got != time.Second || err != nil {
			t.Errorf("Next after Reset = %v, %v; want 1s", got, err)
		}
	})
}

func TestErrElapsedIsADeadline(t *testing.T) {
	if !errors.Is(ErrElapsed, context.DeadlineExceeded) {
		t.Error("ErrElapsed does not wrap context.DeadlineExceeded")
	}
}

func TestSequenceAttempts(t *testing.T) {
	for _, tt := range []struct{ attempts, delays int }{
		{1, 0},
		{2, 1},
		{0, DefaultMaxAttempts - 1},
		{-3, DefaultMaxAttempts - 1}, // as Validate says, not a number of attempts
		{math.MaxInt, 1000},          // as many as one likes
	} {
		seq, n := Policy{MaxAttempts: tt.attempts}.Start(), 0
		for n < 1000 && seq.NextBackOff() != cenkalti.Stop {
			n++
		}
		if n != tt.delays {
			t.Errorf("MaxAttempts %d gives %d delays, want %d", tt.attempts, n, tt.delays)
		}
	}
}

// Code written against cenkalti/backoff can take a Sequence.
func TestSequenceInCenkaltiRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, n := time.Now(), 0
		_, err := cenkalti.RetryWithData(func() (int, error) { n++; return n, errBoom }, steady.Start())
		if !errors.Is(err, errBoom) || n != 5 || time.Since(start) != 15*time.Second {
			t.Errorf("%d attempts in %v: %v; want 5 in 15s: boom", n, time.Since(start), err)
		}
	})
}

func BenchmarkSequence(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Policy{}.Start().NextBackOff()
	}
}

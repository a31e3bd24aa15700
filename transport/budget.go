package transport

import "sync/atomic"

// A retryBudget keeps the retries after faults to a share of the calls, so that
// a server that is down is not met by a multiple of them. What the server asks
// for, by a refusal, is not counted: that is paced anyway.
type retryBudget struct {
	share int64        // thousandths of a retry that each call earns; negative: no bound
	left  atomic.Int64 // thousandths of a retry
}

const (
	defaultRetryBudget = 0.2
	// The first calls, and those after a quiet time, may be retried as well.
	retryReserve = 10_000
)

func newRetryBudget(share float64) *retryBudget {
	b := &retryBudget{share: int64(share * 1000)}
	if share == 0 {
		b.share = defaultRetryBudget * 1000
	}
	b.left.Store(retryReserve)
	return b
}

// earn is for each call.
func (b *retryBudget) earn() {
	if b.share > 0 && b.left.Load() < retryReserve {
		b.left.Add(b.share)
	}
}

// spend reports whether one more retry fits.
func (b *retryBudget) spend() bool {
	if b.share < 0 {
		return true
	}
	for {
		left := b.left.Load()
		if left < 1000 {
			return false
		}
		if b.left.CompareAndSwap(left, left-1000) {
			return true
		}
	}
}

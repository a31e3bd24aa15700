package simulate

import "time"

// A TickBucket is a token bucket that gets whole tokens at fixed ticks, counted
// from time 0, instead of a trickle. Between ticks its level does not move.
type TickBucket struct{ wholeTokens }

// NewTickBucket returns a full bucket of size tokens.
func NewTickBucket(rate Rate, size int64) (*TickBucket, error) {
	if err := checkBucket("tick bucket", rate, size); err != nil {
		return nil, err
	}
	return &TickBucket{wholeTokens{rate: rate, size: size, tokens: size}}, nil
}

// SetLevel puts tokens into the bucket in place of what is there: 0 empties
// it. It returns a [*ParamError] for a number that the bucket cannot hold.
func (b *TickBucket) SetLevel(at time.Duration, tokens int64) error {
	if err := b.checkLevel("tick bucket", tokens); err != nil {
		return err
	}
	b.refill(at)
	b.tokens = tokens
	return nil
}

// ticks returns how many tokens fall due from time 0 up to at.
func (b *TickBucket) ticks(at time.Duration) int64 {
	return mulDiv(int64(at), b.rate.Count, int64(b.rate.Per))
}

// due returns the instant at which n more tokens will have come.
func (b *TickBucket) due(n int64) time.Duration {
	if n == 0 {
		return b.last
	}
	return time.Duration(mulDivUp(b.ticks(b.last)+n, int64(b.rate.Per), b.rate.Count))
}

func (b *TickBucket) refill(at time.Duration) {
	if at, _ = clampArrival(at, b.last, 1); at > b.last {
		b.tokens += min(b.size-b.tokens, b.ticks(at)-b.ticks(b.last))
		b.last = at
	}
}

// Arrive implements [Server].
func (b *TickBucket) Arrive(at time.Duration, cost int64) Verdict {
	b.refill(at)
	v := b.take(cost, b.due)
	v.ResetAt = b.due(b.size - b.tokens)
	return v
}

// Peek implements [Server].
func (b *TickBucket) Peek(at time.Duration, cost int64) Verdict {
	copied := *b
	return copied.Arrive(at, cost)
}

// Charge implements [Charger].
func (b *TickBucket) Charge(at time.Duration, cost int64) {
	b.refill(at)
	b.charge(cost)
}

// Policy implements [Server].
func (b *TickBucket) Policy() Policy { return Policy{Rate: b.rate, Burst: b.size} }

// Fits implements [Adjustable].
func (b *TickBucket) Fits(p Policy) error { return checkBucket("tick bucket", p.Rate, p.Burst) }

// Clone implements [Adjustable].
func (b *TickBucket) Clone() Adjustable {
	copied := *b
	return &copied
}

// Adjust implements [Adjustable].
func (b *TickBucket) Adjust(at time.Duration, p Policy) error {
	if err := b.Fits(p); err != nil {
		return err
	}
	b.refill(at)
	b.resize(p)
	return nil
}

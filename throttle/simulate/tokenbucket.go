package simulate

import "time"

// A TokenBucket refills continuously and admits a call when it holds the whole
// cost. A refused call takes nothing.
type TokenBucket struct {
	rate Rate
	size int64

	// One token counts rate.Per, and a nanosecond brings rate.Count: whole
	// numbers, so that nothing drifts whatever the rate.
	full, level int64
	last        time.Duration
}

// NewTokenBucket returns a full bucket of size tokens.
func NewTokenBucket(rate Rate, size int64) (*TokenBucket, error) {
	if err := checkBucket("token bucket", rate, size); err != nil {
		return nil, err
	}
	b := &TokenBucket{rate: rate, size: size, full: size * int64(rate.Per)}
	b.level = b.full
	return b, nil
}

// SetLevel puts tokens into the bucket in place of what is there: 0 empties
// it. It returns a [*ParamError] for a number that the bucket cannot hold.
func (b *TokenBucket) SetLevel(at time.Duration, tokens float64) error {
	if err := checkFloat("token bucket", "level", tokens, 0, float64(b.size)); err != nil {
		return err
	}
	b.refill(at)
	whole := int64(tokens)
	b.level = whole*int64(b.rate.Per) + int64((tokens-float64(whole))*float64(b.rate.Per))
	return nil
}

func (b *TokenBucket) refill(at time.Duration) {
	if at, _ = clampArrival(at, b.last, 1); at > b.last {
		b.level += mulCap(int64(at-b.last), b.rate.Count, b.full-b.level)
		b.last = at
	}
}

// Arrive implements [Server].
func (b *TokenBucket) Arrive(at time.Duration, cost int64) Verdict {
	b.refill(at)
	cost = max(cost, 1)
	v := Verdict{Before: b.tokens(), RetryAt: b.last}
	switch {
	case cost > b.size:
		v.RetryAt = Never
	case cost*int64(b.rate.Per) > b.level:
		v.RetryAt = b.last + time.Duration(divUp(cost*int64(b.rate.Per)-b.level, b.rate.Count))
	default:
		b.level -= cost * int64(b.rate.Per)
		v.Admitted = true
	}
	v.Left = b.tokens()
	v.ResetAt = b.last + time.Duration(divUp(b.full-b.level, b.rate.Count))
	return v
}

func (b *TokenBucket) tokens() float64 { return float64(b.level) / float64(b.rate.Per) }

// Peek implements [Server].
func (b *TokenBucket) Peek(at time.Duration, cost int64) Verdict {
	copied := *b
	return copied.Arrive(at, cost)
}

// Charge implements [Charger].
func (b *TokenBucket) Charge(at time.Duration, cost int64) {
	b.refill(at)
	b.level -= mulCap(max(cost, 1), int64(b.rate.Per), b.level)
}

// Policy implements [Server].
func (b *TokenBucket) Policy() Policy { return Policy{Rate: b.rate, Burst: b.size} }

// Fits implements [Adjustable].
func (b *TokenBucket) Fits(p Policy) error { return checkBucket("token bucket", p.Rate, p.Burst) }

// Clone implements [Adjustable].
func (b *TokenBucket) Clone() Adjustable {
	copied := *b
	return &copied
}

// Adjust implements [Adjustable].
func (b *TokenBucket) Adjust(at time.Duration, p Policy) error {
	if err := b.Fits(p); err != nil {
		return err
	}
	b.refill(at)
	level := mulDiv(b.level, int64(p.Rate.Per), int64(b.rate.Per))
	b.rate, b.size, b.full = p.Rate, p.Burst, p.Burst*int64(p.Rate.Per)
	b.level = min(level, b.full)
	return nil
}

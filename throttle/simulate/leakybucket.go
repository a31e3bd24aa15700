package simulate

import "time"

// A LeakyBucket is the leaky bucket as a meter: every call pours its cost in,
// the bucket leaks at the rate, and a call that would make it overflow is
// refused. It shapes nothing and delays nobody.
type LeakyBucket struct {
	rate Rate
	size int64

	// One unit of water is rate.Per, as in TokenBucket.
	full, water int64
	last        time.Duration
}

// NewLeakyBucket returns an empty bucket that holds size units.
func NewLeakyBucket(rate Rate, size int64) (*LeakyBucket, error) {
	if err := checkBucket("leaky bucket", rate, size); err != nil {
		return nil, err
	}
	return &LeakyBucket{rate: rate, size: size, full: size * int64(rate.Per)}, nil
}

func (b *LeakyBucket) leak(at time.Duration) {
	if at, _ = clampArrival(at, b.last, 1); at > b.last {
		b.water -= mulCap(int64(at-b.last), b.rate.Count, b.water)
		b.last = at
	}
}

// drop returns when the water will have fallen to a level.
func (b *LeakyBucket) drop(level int64) time.Duration {
	return b.last + time.Duration(divUp(max(b.water-level, 0), b.rate.Count))
}

// Arrive implements [Server].
func (b *LeakyBucket) Arrive(at time.Duration, cost int64) Verdict {
	b.leak(at)
	cost = max(cost, 1)
	v := Verdict{Before: b.room()}
	if cost > b.size {
		v.Left, v.RetryAt, v.ResetAt = v.Before, Never, b.drop(0)
		return v
	}
	poured := cost * int64(b.rate.Per)
	v.RetryAt = b.drop(b.full - poured)
	if v.Admitted = v.RetryAt == b.last; v.Admitted {
		b.water += poured
	}
	v.Left, v.ResetAt = b.room(), b.drop(0)
	return v
}

func (b *LeakyBucket) room() float64 { return float64(b.full-b.water) / float64(b.rate.Per) }

// Peek implements [Server].
func (b *LeakyBucket) Peek(at time.Duration, cost int64) Verdict {
	copied := *b
	return copied.Arrive(at, cost)
}

// Charge implements [Charger].
func (b *LeakyBucket) Charge(at time.Duration, cost int64) {
	b.leak(at)
	b.water += mulCap(max(cost, 1), int64(b.rate.Per), b.full-b.water)
}

// Policy implements [Server].
func (b *LeakyBucket) Policy() Policy { return Policy{Rate: b.rate, Burst: b.size} }

// Fits implements [Adjustable].
func (b *LeakyBucket) Fits(p Policy) error { return checkBucket("leaky bucket", p.Rate, p.Burst) }

// Clone implements [Adjustable].
func (b *LeakyBucket) Clone() Adjustable {
	copied := *b
	return &copied
}

// Adjust implements [Adjustable]. It keeps the room, not the water.
func (b *LeakyBucket) Adjust(at time.Duration, p Policy) error {
	if err := b.Fits(p); err != nil {
		return err
	}
	b.leak(at)
	room := mulDiv(b.full-b.water, int64(p.Rate.Per), int64(b.rate.Per))
	b.rate, b.size, b.full = p.Rate, p.Burst, p.Burst*int64(p.Rate.Per)
	b.water = b.full - min(room, b.full)
	return nil
}

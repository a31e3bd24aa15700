package simulate

import (
	"math/big"
	"testing"
	"time"
)

// ratBucket is the textbook, in fractions of any size:
// before = min(size, left + seconds*rate), allowed if before >= cost.
type ratBucket struct {
	rate, size, left *big.Rat
	last             time.Duration
}

func (b *ratBucket) arrive(at time.Duration, cost int64) (ok bool, before *big.Rat, retry time.Duration) {
	elapsed := big.NewRat(int64(at-b.last), 1)
	before = new(big.Rat).Add(b.left, elapsed.Mul(elapsed, b.rate))
	if before.Cmp(b.size) > 0 {
		before.Set(b.size)
	}
	b.left, b.last = before, at
	missing := new(big.Rat).Sub(big.NewRat(cost, 1), before)
	if missing.Sign() <= 0 {
		b.left = new(big.Rat).Neg(missing)
		return true, before, at
	}
	missing.Quo(missing, b.rate)
	whole := new(big.Int).Add(missing.Num(), missing.Denom())
	whole.Sub(whole, big.NewInt(1)).Quo(whole, missing.Denom())
	return false, before, at + time.Duration(whole.Int64())
}

func TestTokenBucketIsTheTextbook(t *testing.T) {
	for i, rate := range []Rate{per(10, sec), per(7, 3*sec), per(100, 7*sec), per(4500, time.Hour), per(999_999_937, sec)} {
		b := must(NewTokenBucket(rate, 6))
		want := &ratBucket{rate: big.NewRat(rate.Count, int64(rate.Per)), size: big.NewRat(6, 1), left: big.NewRat(6, 1)}
		mean := max(rate.Per/time.Duration(rate.Count), 1)
		for _, a := range randomArrivals(NewRand(4, uint64(i)), 5_000, mean) {
			v := b.Arrive(a.At, a.Cost)
			ok, before, retry := want.arrive(a.At, a.Cost)
			exact, _ := before.Float64()
			if v.Admitted != ok || v.RetryAt != retry || v.Before-exact > 1e-9 || exact-v.Before > 1e-9 {
				t.Fatalf("%v at %v cost %d: %+v, want %t, before %v, retry %v", rate, a.At, a.Cost, v, ok, exact, retry)
			}
		}
	}
}

// A rate whose interval is no whole number of nanoseconds does not drift: after
// 10,000 periods, saturated, the bucket has let in exactly what it should.
func TestTokenBucketDoesNotDrift(t *testing.T) {
	b := must(NewTokenBucket(per(100, 7*sec), 1))
	var at time.Duration
	n := 0
	for at <= 10_000*7*sec {
		v := b.Arrive(at, 1)
		if v.Admitted {
			n++
		} else {
			at = v.RetryAt
		}
	}
	if want := 1 + 10_000*100; n != want {
		t.Errorf("%d admitted, want %d", n, want)
	}
}

// A bucket may start at any level.
func TestTokenBucketSetLevel(t *testing.T) {
	b := must(NewTokenBucket(per(4500, time.Hour), 4500))
	for _, tt := range []struct {
		level float64
		retry time.Duration
	}{{0, 800 * ms}, {0.5, 400 * ms}, {1, 0}, {4500, 0}} {
		if err := b.SetLevel(0, tt.level); err != nil {
			t.Fatal(err)
		}
		if v := b.Peek(0, 1); v.Before != tt.level || v.RetryAt != tt.retry {
			t.Errorf("level %v: %+v, want retry at %v", tt.level, v, tt.retry)
		}
	}
}

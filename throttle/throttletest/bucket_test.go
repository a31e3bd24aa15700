package throttletest

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

// A gcra is the algorithm as the ATM Forum wrote it, in fractions of nanoseconds:
// a call conforms unless it comes before the theoretical arrival time of the
// last one less the tolerance, which is burst − 1 intervals.
type gcra struct {
	interval  *big.Rat
	tolerance *big.Rat
	tat       *big.Rat
}

func newGCRA(l limit) *gcra {
	interval := new(big.Rat).SetFrac(big.NewInt(l.window*int64(time.Second)), big.NewInt(l.quota))
	tolerance := new(big.Rat).Mul(interval, big.NewRat(l.burst-1, 1))
	return &gcra{interval: interval, tolerance: tolerance, tat: new(big.Rat)}
}

func (g *gcra) conforms(nanos int64) bool {
	now := new(big.Rat).SetInt64(nanos)
	if now.Cmp(new(big.Rat).Sub(g.tat, g.tolerance)) < 0 {
		return false
	}
	if now.Cmp(g.tat) > 0 {
		g.tat = now
	}
	g.tat = new(big.Rat).Add(g.tat, g.interval)
	return true
}

// The bucket and the definition agree on every call, for rates that are awkward
// and for gaps from a nanosecond to many times the burst.
func TestBucketIsGCRA(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rates := []float64{1, 10, 0.5, 1.0 / 3, 7.0 / 3, 5000.0 / 3600, math.Pi, 300, 12345.678, 1e8, 1e9, 1e-4}
	for range 200 {
		rate, burst := rates[rng.IntN(len(rates))], 1+rng.IntN(6)
		l, err := newLimit(rate, burst, 0)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		b, def := bucket{level: l.full(), at: start}, newGCRA(l)
		var nanos int64
		for range 200 {
			nanos += gap(rng, l)
			got := b.take(l, start.Add(time.Duration(nanos)), 1, false)
			if want := def.conforms(nanos); got.admitted != want {
				t.Fatalf("rate %v burst %d: a call at %d ns is admitted: %v, want %v", rate, burst, nanos, got.admitted, want)
			}
			if !got.admitted && rng.IntN(2) == 0 { // and the edge itself, from both sides
				nanos += int64(got.wait) - int64(rng.IntN(2))
				got := b.take(l, start.Add(time.Duration(nanos)), 1, false)
				if want := def.conforms(nanos); got.admitted != want {
					t.Fatalf("rate %v burst %d: a call at the edge, %d ns, is admitted: %v, want %v", rate, burst, nanos, got.admitted, want)
				}
			}
		}
	}
}

// gap draws the nanoseconds to the next call: none, near the interval, or a rest.
func gap(rng *rand.Rand, l limit) int64 {
	interval := int64(l.refill(l.perCall))
	switch rng.IntN(8) {
	case 0, 1, 2:
		return 0
	case 3:
		return rng.Int64N(3)
	case 4:
		return rng.Int64N(interval*l.burst*2 + 1)
	default:
		return rng.Int64N(interval + 1)
	}
}

// Between two limits a level is the same number of calls, rounded down by less
// than a part, and never more than the new burst.
func TestBucketChange(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		from, to    limit
		level, want int64
	}{
		{makeLimit(1, 1, 10), makeLimit(2, 1, 10), 6e9, 6e9 / 2},
		{makeLimit(1, 1, 10), makeLimit(3, 7, 10), 1, 7},
		{makeLimit(3, 7, 10), makeLimit(1, 1, 10), 20, 2},
		{makeLimit(1, 1, 10), makeLimit(1, 2, 3), 6e9, 3 * 2e9},
		{makeLimit(1, 1, 10), makeLimit(1e9, 1, 3), 10e9, 3},
	} {
		b := bucket{level: tt.level, at: now}
		b.change(tt.from, tt.to, now)
		if b.level != tt.want {
			t.Errorf("level %d of %+v is %d of %+v, want %d", tt.level, tt.from, b.level, tt.to, tt.want)
		}
	}
}

// A budget that rests for as long as a time.Duration can say is full, and one
// whose clock goes back loses nothing.
func TestBucketAtTheEndsOfTime(t *testing.T) {
	l := makeLimit(1_000_000_000, 1, 3)
	now := time.Now()
	b := bucket{at: now}
	b.fill(l, now.Add(math.MaxInt64))
	if b.level != l.full() {
		t.Errorf("level after 292 years = %d, want %d", b.level, l.full())
	}
	b = bucket{level: 2, at: now}
	b.fill(l, now.Add(-time.Hour))
	if b.level != 2 {
		t.Errorf("level after the clock went back = %d, want 2", b.level)
	}
}

// Three calls in seven seconds are no whole number of nanoseconds apart. Over
// 30,000 of them nothing is rounded away, for what one call comes too late the
// next has in hand. (With a burst of one it would be lost: that is GCRA.)
func TestBucketDoesNotDrift(t *testing.T) {
	l, err := newLimit(3.0/7, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	b := bucket{at: start}
	var last time.Duration
	for n := range int64(30_000) {
		last += b.take(l, start.Add(last), 1, false).wait
		if !b.take(l, start.Add(last), 1, false).admitted {
			t.Fatalf("call %d is refused at %v, when it was told to come", n, last)
		}
		if want := l.refill((n + 1) * l.perCall); last != want {
			t.Fatalf("call %d is admitted at %v, want %v", n, last, want)
		}
	}
}

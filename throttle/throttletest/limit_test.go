package throttletest

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFraction(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		p, q int64
	}{
		{1, 1, 1},
		{10, 10, 1},
		{0.5, 1, 2},
		{0.1, 1, 10},
		{2.5, 5, 2},
		{5000.0 / 3600, 25, 18},
		{1.0 / 86400, 1, 86400},
		{0.0167, 167, 10000},
		{1e9, 1_000_000_000, 1},
		{1e-9, 1, 1_000_000_000},
		{math.Pi, 103993, 33102},
	} {
		if p, q := fraction(tt.x); p != tt.p || q != tt.q {
			t.Errorf("fraction(%v) = %d/%d, want %d/%d", tt.x, p, q, tt.p, tt.q)
		}
	}
}

func TestFractionIsSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		x := math.Pow(10, 18*rng.Float64()-9)
		if p, q := fraction(x); p < 1 || q < 1 || p > 9e9 || q > 9e9 || !near(float64(p)/float64(q), x) {
			t.Fatalf("fraction(%v) = %d/%d", x, p, q)
		}
	}
}

func TestMulDiv(t *testing.T) {
	const most = math.MaxInt64
	for _, tt := range []struct{ a, b, c, quo, rem int64 }{
		{7, 3, 2, 10, 1},
		{0, 5, 3, 0, 0},
		{most, 6, 7, most / 7 * 6, 0}, // 2⁶³−1 is a multiple of seven
		{most, 1, 1, most, 0},
		{most, 2, 1, most, 0},
		{most, most, 1, most, 0},
	} {
		if quo, rem := mulDiv(tt.a, tt.b, tt.c); quo != tt.quo || rem != tt.rem {
			t.Errorf("mulDiv(%d, %d, %d) = %d, %d, want %d, %d", tt.a, tt.b, tt.c, quo, rem, tt.quo, tt.rem)
		}
	}
}

package simulate

import (
	"math"
	"testing"
	"time"
)

// PerSecond finds the fraction that a person would write, and is never far off.
func TestPerSecond(t *testing.T) {
	for _, tt := range []struct {
		n    float64
		want Rate
	}{
		{1, per(1, sec)}, {10, per(1, 100*ms)}, {1.25, per(1, 800*ms)}, {300, per(3, 10*ms)},
		{0.7, per(7, 10*sec)}, {1.0 / 3600, per(1, time.Hour)}, {1e9, per(1, 1)},
	} {
		if got, err := PerSecond(tt.n); got != tt.want || err != nil {
			t.Errorf("PerSecond(%v) = %v, %v; want %v", tt.n, got, err, tt.want)
		}
	}
	r := NewRand(1, 1)
	for range 100_000 {
		n := math.Pow(10, r.Float64()*17-8.5)
		got, err := PerSecond(n)
		if err != nil || math.Abs(got.PerSecond()/n-1) > 1e-9 {
			t.Fatalf("PerSecond(%v) = %v = %v/s, %v", n, got, got.PerSecond(), err)
		}
	}
}

package simulate

import (
	"math"
	"testing"
	"time"
)

func TestMetrics(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"half of the supply", Utilisation(1130, 1e9, 10, 1.25, 30*time.Minute), 0.5},
		{"all of the demand", Utilisation(100, 100, 10, 1.25, 30*time.Minute), 1},
		{"idle", Utilisation(0, 0, 10, 1, sec), 1},
		{"refused", Share(3, 11), 3.0 / 11},
		{"nothing asked", Share(0, 0), 0},
		{"all alike", Jain([]float64{3, 3, 3}), 1},
		{"one has it all", Jain([]float64{9, 0, 0}), 1.0 / 3},
		{"nobody", Jain(nil), 1},
		{"nothing for all", Jain([]float64{0, 0}), 1},
		{"mean", Mean([]float64{1, 2, 6}), 3},
		{"mean of none", Mean(nil), 0},
		{"sample deviation", Stdev([]float64{2, 4, 4, 4, 5, 5, 7, 9}), math.Sqrt(32.0 / 7)},
		{"deviation of one", Stdev([]float64{5}), 0},
	} {
		if math.Abs(tt.got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	var w Waits
	if w.Max() != 0 {
		t.Errorf("longest of none is %v", w.Max())
	}
	for i := range 100 {
		w.Add(time.Duration(100-i) * ms)
	}
	for _, tt := range []struct {
		p    float64
		want time.Duration
	}{{0, ms}, {0.01, ms}, {0.011, 2 * ms}, {0.07, 7 * ms}, {0.5, 50 * ms}, {0.99, 99 * ms}, {1, 100 * ms}, {2, 100 * ms}, {-1, ms}, {math.NaN(), 0}} {
		if got := w.Quantile(tt.p); got != tt.want {
			t.Errorf("Quantile(%v) = %v, want %v", tt.p, got, tt.want)
		}
	}
	w.Add(0)
	if w.Quantile(0) != 0 || w.Len() != 101 {
		t.Errorf("a later Add is not seen: %v of %d", w.Quantile(0), w.Len())
	}
}

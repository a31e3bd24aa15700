package simulate

import (
	"math"
	"slices"
	"time"
)

// Utilisation returns the share of a budget that was used: admitted units of
// what could have been, min(demand, start + rate*span). The rate is in units
// per second and start the level at the beginning. Nothing possible is 1: an
// idle budget is not wasted.
func Utilisation(admitted, demand, start, rate float64, span time.Duration) float64 {
	possible := min(demand, start+rate*span.Seconds())
	if possible <= 0 {
		return 1
	}
	return admitted / possible
}

// Share returns part/whole, 0 where whole is 0: the refused share of requests.
func Share(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Jain returns Jain's index of fairness: 1 if all have the same, 1/n if one
// has everything. None, or all with nothing, is fair.
func Jain(shares []float64) float64 {
	var sum, squares float64
	for _, x := range shares {
		sum += x
		squares += x * x
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(shares)) * squares)
}

// Mean returns the mean, 0 for none.
func Mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Stdev returns the sample standard deviation (n-1 below), 0 for fewer than
// two.
func Stdev(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	mean := Mean(xs)
	var squares float64
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(len(xs)-1))
}

// Waits collects durations for their quantiles. The zero Waits is empty.
type Waits struct {
	all    []time.Duration
	sorted bool
}

// Add adds a duration.
func (w *Waits) Add(d time.Duration) {
	w.all = append(w.all, d)
	w.sorted = false
}

// Len returns how many there are.
func (w *Waits) Len() int { return len(w.all) }

// Quantile returns the least duration that a share p of all do not exceed:
// 0.5 the median, 1 the longest. It returns 0 if there are none, or p is NaN.
func (w *Waits) Quantile(p float64) time.Duration {
	if len(w.all) == 0 || math.IsNaN(p) {
		return 0
	}
	if !w.sorted {
		slices.Sort(w.all)
		w.sorted = true
	}
	// The margin undoes the error of a product such as 0.07 * 100.
	rank := math.Ceil(min(max(p, 0), 1)*float64(len(w.all)) - 1e-9)
	return w.all[max(int(rank), 1)-1]
}

// Max returns the longest.
func (w *Waits) Max() time.Duration { return w.Quantile(1) }

package simulate

import (
	"math"
	"slices"
	"testing"
	"time"
)

func collect(s Source) []Arrival { return slices.Collect(s.All()) }

func TestSources(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  Source
		want []Arrival
	}{
		{"list", List(document[:2]), document[:2]},
		{"empty list", List(nil), nil},
		{"batch", Batch(sec, 2), []Arrival{{sec, 1}, {sec, 1}}},
		{"no batch", Batch(sec, -1), nil},
		{"bursts", Bursts(2, sec, 2*sec), []Arrival{{0, 1}, {0, 1}, {sec, 1}, {sec, 1}}},
		{"one burst", Bursts(2, 0, sec), []Arrival{{0, 1}, {0, 1}}},
		{"no burst", Bursts(0, sec, Never), nil},
		{"merged", Merge(Batch(sec, 1), List([]Arrival{{0, 2}, {sec, 3}, {2 * sec, 4}}), Batch(0, 0)),
			[]Arrival{{0, 2}, {sec, 1}, {sec, 3}, {2 * sec, 4}}},
		{"poisson of nothing", Poisson(NewRand(1, 1), math.NaN(), sec), nil},
		{"poisson of less", Poisson(NewRand(1, 1), -1, sec), nil},
	} {
		if got := collect(tt.got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if n := len(collect(Poisson(NewRand(1, 1), math.Inf(1), 1000))); n != 999 {
		t.Errorf("an infinite rate gave %d in 1000 ns, want one a nanosecond", n)
	}
}

// The number in a span is that of a Poisson process in mean and variance, and
// the same seed gives the same arrivals.
func TestPoisson(t *testing.T) {
	var counts []float64
	for seed := range uint64(400) {
		counts = append(counts, float64(len(collect(Poisson(NewRand(seed, 1), 10, 10*sec)))))
	}
	// 100 ± 0.5 standard error 10/sqrt(400); the variance is 100 ± 7.
	if mean, dev := Mean(counts), Stdev(counts); math.Abs(mean-100) > 2.5 || math.Abs(dev*dev-100) > 30 {
		t.Errorf("mean %v, variance %v; want 100, 100", mean, dev*dev)
	}
	a, b := collect(Poisson(NewRand(7, 1), 10, 10*sec)), collect(Poisson(NewRand(7, 1), 10, 10*sec))
	if !slices.Equal(a, b) || slices.Equal(a, collect(Poisson(NewRand(7, 2), 10, 10*sec))) {
		t.Error("a seed and stream do not decide the arrivals")
	}
}

// Feed brings each arrival when its time has come, and only one at a time.
func TestFeed(t *testing.T) {
	var l Loop
	var got []Arrival
	l.Feed(List(document), func(a Arrival) {
		if a.At != l.Now() || l.Pending() > 1 {
			t.Errorf("%v at %v with %d pending", a, l.Now(), l.Pending())
		}
		got = append(got, a)
	})
	l.Feed(List(nil), func(Arrival) { t.Error("an arrival from an empty source") })
	l.Run(time.Minute)
	if !slices.Equal(got, document) {
		t.Errorf("got %v", got)
	}
}

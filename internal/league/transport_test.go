package league

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A course is a scenario that real Transports run through as well.
type course struct {
	scenario string
	work     work   // as the scenario's load
	seeds    int    // for the Transports; the simulation has manySeeds
	unraced  string // why it is left out with the race detector
	missed   string // the figure that misses its target; the two are only compared with each other
}

const (
	manySeeds = 20
	fewSeeds  = 5
	firstSeed = 201 // neither the schedule nor the scenarios were made on these

	tooLong = "20,000 to 180,000 calls a seed: it would take 10 s to 100 s"
	tooMany = "a thousand goroutines in a bubble: the detector itself fails now and then, golang/go#78156"
)

var courses = []course{
	{scenario: "published-saturated", work: steadily(32), seeds: manySeeds},
	{scenario: "batch", work: inBursts(100, 0), seeds: manySeeds},
	{scenario: "dashboard-cold", work: inBursts(9, 30*time.Second), seeds: manySeeds},
	{scenario: "heroku-2x5", work: steadily(5), seeds: manySeeds},
	{scenario: "heroku-shared", work: steadily(5), seeds: manySeeds},
	{scenario: "neighbour-poisson-30", work: steadily(32), seeds: manySeeds},
	{scenario: "hidden-bucket", work: steadily(64), seeds: manySeeds},
	{scenario: "hidden-bucket-exact", work: steadily(64), seeds: manySeeds},
	{scenario: "hidden-bucket-1", work: steadily(64), seeds: manySeeds},
	{scenario: "hidden-bucket-exact-1", work: steadily(64), seeds: manySeeds},
	{scenario: "hidden-bucket-seconds-1", work: steadily(64), seeds: manySeeds},
	{scenario: "hidden-bucket-33", work: steadily(64), seeds: 1, unraced: tooLong},
	{scenario: "hidden-bucket-exact-33", work: steadily(64), seeds: fewSeeds, unraced: tooLong},
	{scenario: "hidden-bucket-seconds-33", work: steadily(64), seeds: 1, unraced: tooLong},
	{scenario: "hidden-bucket-300", work: steadily(64), seeds: 1, unraced: tooLong},
	{scenario: "hidden-bucket-exact-300", work: steadily(64), seeds: 1, unraced: tooLong},
	{scenario: "hidden-bucket-seconds-300", work: steadily(64), seeds: 3, unraced: tooLong},
	{scenario: "hidden-window-drop", work: onDemand(32, 2000./60), seeds: fewSeeds, unraced: tooLong},
	{scenario: "resume-storm-50x20", work: inBursts(20, 0), seeds: manySeeds, unraced: tooMany},
	{scenario: "resume-storm-shared", work: inBursts(20, 0), seeds: manySeeds, unraced: tooMany, missed: "makespan_ratio"},
}

// Real Transports reach the targets, and do in a scenario what the simulation
// of them does: for each figure that has a target, the means of the two are no
// further apart than chance makes them.
func TestTransportAgreesWithTheSimulation(t *testing.T) {
	ours := strategyNamed(t, "headway")
	for _, c := range courses {
		t.Run(c.scenario, func(t *testing.T) {
			seeds := c.seeds
			switch {
			case raced && c.unraced != "":
				t.Skip("with the race detector: " + c.unraced)
			case raced || testing.Short():
				seeds = min(seeds, fewSeeds)
			}
			s := scenarioNamed(t, c.scenario)
			var simulated, driven []Metrics
			for seed := uint64(firstSeed); seed < firstSeed+manySeeds; seed++ {
				simulated = append(simulated, play(t.Context(), &s, ours, seed))
			}
			for seed := uint64(firstSeed); len(driven) < seeds; seed++ {
				synctest.Test(t, func(t *testing.T) { driven = append(driven, drive(t, &s, c.work, seed)) })
			}
			for _, target := range s.Targets {
				sim, got := sampleOf(simulated, target.Metric), sampleOf(driven, target.Metric)
				t.Logf("%s: simulated %v, Transport %v", target.Metric, sim, got)
				if target.Metric != c.missed {
					reach(t, target, sim, got)
				}
				compare(t, target.Metric, sim, got)
			}
		})
	}
}

// A mean may be off by so many of its standard deviations: from a target, which
// is one-sided, and from another mean. There are some 25 figures, which must not
// fail by chance in a thousand runs.
const (
	fromTarget = 3.0
	fromOther  = 5.0
)

// grain is by how much two means of a figure may differ besides: what few seeds
// show of a figure that is nearly always the same says nothing of its deviation.
var grain = map[string]float64{
	"utilisation": 0.001, "refused_ratio": 0.0002, "refused_total": 0.5, "neighbour_refused_ratio": 0.001,
	"makespan_ratio": 0.0005, "max_wait_s": 0, "jain": 0.0001, "stdev": 1,
}

// reach wants the target to be met by the mean. What few seeds deviate by is told
// by the many of the simulation.
func reach(t *testing.T, target Target, sim, got sample) {
	t.Helper()
	leeway := fromTarget * max(sim.deviation(), got.deviation()) / math.Sqrt(float64(len(got)))
	if off := target.shortfall(got.mean()); off > leeway {
		t.Errorf("%s: %v, target %v; misses it by more than %.2g", target.Metric, got, target.Value, leeway)
	}
}

func compare(t *testing.T, metric string, sim, got sample) {
	t.Helper()
	deviation := max(sim.deviation(), got.deviation())
	n, m := float64(len(sim)), float64(len(got))
	leeway := fromOther*deviation*math.Sqrt(1/n+1/m) + grain[metric]
	if off := math.Abs(got.mean() - sim.mean()); off > leeway {
		t.Errorf("%s: simulated %v, Transport %v; more than %.2g apart", metric, sim, got, leeway)
	}
}

// shortfall is by how much a figure misses the target.
func (t Target) shortfall(v float64) float64 {
	if t.Metric == "makespan_ratio" && v == 0 {
		return math.Inf(1)
	}
	if t.Least {
		return t.Value - v
	}
	return v - t.Value
}

// A sample is a figure of several runs.
type sample []float64

func sampleOf(runs []Metrics, metric string) sample {
	var s sample
	for _, m := range runs {
		v, _ := m.Value(metric)
		s = append(s, v)
	}
	return s
}

func (s sample) mean() float64      { return simulate.Mean(s) }
func (s sample) deviation() float64 { return simulate.Stdev(s) }

func (s sample) String() string {
	return fmt.Sprintf("%.5f (%.5f to %.5f)", s.mean(), slices.Min(s), slices.Max(s))
}

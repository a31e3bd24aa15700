package league

import (
	"fmt"
	"testing"
)

func seedsUpTo(n int) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	return seeds
}

func scenarioNamed(t testing.TB, name string) Scenario {
	t.Helper()
	for _, s := range Scenarios() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no scenario %q", name)
	return Scenario{}
}

func strategyNamed(t testing.TB, name string) Strategy {
	t.Helper()
	for _, s := range Strategies() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no strategy %q", name)
	return Strategy{}
}

// An anchor is a figure that somebody else has measured, and how far from it
// the mean of a few seeds may be.
type anchor struct {
	scenario, strategy, metric string
	low, high                  float64
	theirs                     string
}

func check(t *testing.T, anchors []anchor, seeds int) {
	t.Helper()
	rows := map[string]Row{}
	for _, a := range anchors {
		key := a.scenario + "\x00" + a.strategy
		row, ok := rows[key]
		if !ok {
			row = Run(scenarioNamed(t, a.scenario), strategyNamed(t, a.strategy), seedsUpTo(seeds), nil)
			rows[key] = row
		}
		got, ok := row.Value(a.metric)
		t.Logf("%s, %s: %s = %.4f; theirs: %s", a.scenario, a.strategy, a.metric, got, a.theirs)
		if !ok || got < a.low || got > a.high {
			t.Errorf("%s, %s: %s = %v, want %v to %v; theirs: %s", a.scenario, a.strategy, a.metric, got, a.low, a.high, a.theirs)
		}
	}
}

// rate_throttle_client published one run of each of its strategies. The winner
// was re-created independently over 50 seeds: 2.76 to 5.86 % refused, 3.66 in
// the mean, and a deviation of 61 to 191 requests, 109 in the mean.
func TestRateThrottleClientIsReproduced(t *testing.T) {
	check(t, []anchor{
		{"heroku-2x5", "exp-remaining", "refused_ratio", 0.0276, 0.0470, "3.07 %, 3.66 % over 50 seeds"},
		{"heroku-2x5", "exp-remaining", "stdev", 61, 191, "78.4, 109 over 50 seeds"},
		{"heroku-2x5", "exp-remaining", "utilisation", 0.99, 1.001, "99.8 %"},
		{"heroku-2x5", "exp-proportional", "refused_ratio", 0.0276, 0.0470, "3.66 %, 3.33 % over 10 seeds"},
		{"heroku-2x5", "exp-proportional", "stdev", 61, 191, "101.9"},
		{"heroku-2x5", "exp-gradual", "refused_ratio", 0.36, 0.50, "40.6 %, 46.0 % over 10 seeds"},
		{"heroku-2x5", "exp-gradual", "stdev", 750, 1000, "867.7"},
		{"heroku-2x5", "exp-backoff", "refused_ratio", 0.73, 0.83, "80.4 %, 76.6 % over 10 seeds"},
		{"heroku-2x5", "exp-backoff", "utilisation", 0.99, 1.001, "100 %"},
	}, 20)
}

// What another simulation of the same servers and network measured.
func TestAnchors(t *testing.T) {
	check(t, []anchor{
		{"published-saturated", "x-time-rate", "refused_total", 0.5, 2, "1 a run"},
		{"published-saturated", "x-time-rate", "utilisation", 0.999, 1, "99.93 %"},
		{"published-saturated", "x-time-rate-95", "refused_total", 0, 0, "0"},
		{"published-saturated", "x-time-rate-95", "utilisation", 0.949, 0.951, "94.95 %"},
		{"published-burst-1", "x-time-rate", "refused_ratio", 0.355, 0.385, "37.0 %"},
		{"published-burst-1", "x-time-rate", "utilisation", 0.614, 0.644, "62.9 %"},
		{"neighbour-poisson-30", "x-time-rate", "refused_ratio", 0.02, 0.11, "5.5 %"},
		{"neighbour-poisson-30", "x-time-rate", "neighbour_refused_ratio", 0.65, 0.95, "82 %"},
		{"hidden-bucket", "aws-adaptive", "utilisation", 0.98, 0.995, "98.9 %"},
		{"hidden-bucket", "aws-adaptive", "refused_ratio", 0.045, 0.08, "5.8 %"},
		{"hidden-bucket-33", "aws-adaptive", "utilisation", 0.99, 1, "99.7 %"},
		{"hidden-bucket-33", "aws-adaptive", "refused_ratio", 0.02, 0.04, "2.8 %"},
		{"hidden-bucket-1", "aws-adaptive", "refused_ratio", 0.30, 0.42, "34.9 %"},
		{"hidden-bucket-300", "aws-adaptive", "utilisation", 0.35, 0.55, "42.6 %"},
		{"hidden-bucket", "atb", "refused_ratio", 0.20, 0.22, "21.9 %"},
		{"hidden-window-drop", "aws-adaptive", "utilisation", 0.98, 0.995, "98.9 %"},
		{"hidden-window-drop", "aws-adaptive", "refused_ratio", 0.035, 0.055, "4.2 %"},
		{"hidden-window-drop", "aimd", "utilisation", 0.86, 0.94, "90 %"},
		{"hidden-window-drop", "aimd", "refused_total", 20, 120, "56"},
		{"resume-storm-50x20", "retry-after", "refused_total", 8400, 9200, "8.81 a call"},
		{"resume-storm-50x20", "retry-after", "herd_peak", 900, 1000, "999"},
		{"resume-storm-50x20", "retry-after-jitter", "refused_total", 7300, 8000, "7.69 a call"},
		{"resume-storm-50x20", "retry-after-jitter", "herd_peak", 100, 140, "122"},
		{"resume-storm-cold", "full-jitter", "refused_total", 3600, 4050, "3.83 a call"},
		{"resume-storm-cold", "full-jitter", "herd_peak", 950, 1060, "1023"},
	}, 4)
}

func ExampleRun() {
	var scenario Scenario
	for _, s := range Scenarios() {
		if s.Name == "published-saturated" {
			scenario = s
		}
	}
	for _, strategy := range Strategies() {
		if strategy.Name == "x-time-rate-95" {
			row := Run(scenario, strategy, []uint64{1, 2}, nil)
			fmt.Printf("%s, %s: %.2f used, %.2f refused\n", row.Scenario, row.Strategy, row.Utilisation, row.RefusedRatio)
		}
	}
	for _, target := range scenario.Targets {
		fmt.Println(target.Metric, target.Least, target.Value)
	}
	// Output:
	// published-saturated, x-time-rate-95: 0.95 used, 0.00 refused
	// refused_total false 0
	// utilisation true 0.999
}

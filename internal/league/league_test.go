package league

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// The names that users of the command give.
func TestNames(t *testing.T) {
	var scenarios, strategies []string
	for _, s := range Scenarios() {
		if s.About == "" || slices.Contains(scenarios, s.Name) {
			t.Errorf("scenario %q: about %q, or there are two", s.Name, s.About)
		}
		scenarios = append(scenarios, s.Name)
		for _, target := range s.Targets {
			if _, ok := (Metrics{}).Value(target.Metric); !ok {
				t.Errorf("%s: a target for %q, which is no metric", s.Name, target.Metric)
			}
		}
	}
	for _, s := range Strategies() {
		if s.About == "" || slices.Contains(strategies, s.Name) {
			t.Errorf("strategy %q: about %q, or there are two", s.Name, s.About)
		}
		strategies = append(strategies, s.Name)
	}
	for _, name := range []string{
		"published-saturated", "batch", "heroku-2x5", "heroku-shared", "neighbour-poisson-30",
		"hidden-bucket", "hidden-bucket-exact", "hidden-bucket-seconds-300", "hidden-window-drop",
		"resume-storm-50x20", "dashboard-cold",
	} {
		if s := scenarioNamed(t, name); len(s.Targets) == 0 {
			t.Errorf("%s has no target", name)
		}
	}
	for _, name := range []string{"headway", "headway-shared", "headway-blind"} {
		strategyNamed(t, name)
	}
}

// Whatever a strategy does, its figures can be true: for some on all servers,
// and for all on those where even the hastiest send little.
func TestFiguresArePossible(t *testing.T) {
	everywhere := []string{"aws-adaptive", "headway", "headway-shared"}
	little := []string{"batch", "dashboard-cold", "heroku-2x5", "step-refill-100", "resume-storm-10x20"}
	for _, scenario := range Scenarios() {
		for _, strategy := range Strategies() {
			if !slices.Contains(everywhere, strategy.Name) && !slices.Contains(little, scenario.Name) {
				continue
			}
			for _, problem := range impossible(Run(scenario, strategy, []uint64{7}, nil)) {
				t.Errorf("%s, %s: %s", scenario.Name, strategy.Name, problem)
			}
		}
	}
}

func impossible(r Row) (problems []string) {
	for _, m := range metrics {
		if v, _ := r.Value(m.name); math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			problems = append(problems, m.name+" is no number")
		}
	}
	shares := []float64{r.Utilisation - 1e-3, r.RefusedRatio, r.NeighbourRefusedRatio, r.Jain - 1e-9}
	if slices.Max(shares) > 1 {
		problems = append(problems, "a share is more than 1")
	}
	if r.P50Wait > r.P99Wait || r.P99Wait > r.MaxWait {
		problems = append(problems, "quantiles are out of order")
	}
	if r.MakespanRatio > 0 && r.MakespanRatio < 0.99 && r.Scenario != "step-refill-100" {
		problems = append(problems, "the calls were done sooner than is possible")
	}
	if r.Worst.Utilisation != r.Utilisation || r.RefusedWorst != r.RefusedRatio {
		problems = append(problems, "the worst of one seed is another than its mean")
	}
	return problems
}

// The same seed gives the same figures, however many run at a time; another
// seed gives others. Ours is left out where its schedule draws at random.
func TestRunsAreDeterministic(t *testing.T) {
	for _, name := range []string{"heroku-2x5", "resume-storm-10x20", "dashboard-cold"} {
		scenario := scenarioNamed(t, name)
		for _, strategy := range Strategies() {
			if strings.HasPrefix(strategy.Name, "headway") && name != "dashboard-cold" {
				continue
			}
			one := Run(scenario, strategy, []uint64{1}, nil)
			if again := Run(scenario, strategy, []uint64{1}, nil); one != again {
				t.Errorf("%s, %s: %+v, then %+v", name, strategy.Name, one, again)
			}
			many := Run(scenario, strategy, []uint64{1, 1, 1}, nil)
			many.Seeds = 1
			if !alike(many, one) {
				t.Errorf("%s, %s: alone %+v, with others %+v", name, strategy.Name, one, many)
			}
		}
	}
	scenario, strategy := scenarioNamed(t, "heroku-2x5"), strategyNamed(t, "full-jitter")
	if one, other := Run(scenario, strategy, []uint64{1}, nil), Run(scenario, strategy, []uint64{2}, nil); one.Metrics == other.Metrics {
		t.Error("another seed gave the same figures")
	}
}

// alike compares the figures but for the rounding of a mean.
func alike(a, b Row) bool {
	for _, m := range metrics {
		x, y := *m.of(&a.Metrics), *m.of(&b.Metrics)
		if math.Abs(x-y) > 1e-12*math.Abs(x) {
			return false
		}
	}
	return a.Worst == b.Worst && a.Seeds == b.Seeds
}

func TestProgress(t *testing.T) {
	var heard []int
	row := Run(scenarioNamed(t, "dashboard-cold"), strategyNamed(t, "none"), seedsUpTo(5), func(done int) { heard = append(heard, done) })
	if !slices.Equal(heard, []int{1, 2, 3, 4, 5}) || row.Seeds != 5 {
		t.Errorf("progress %v, %d seeds; want 1 to 5", heard, row.Seeds)
	}
	if row := Run(scenarioNamed(t, "batch"), strategyNamed(t, "none"), nil, nil); row.Seeds != 0 || row.Utilisation != 0 {
		t.Errorf("no seeds: %+v", row)
	}
}

// play runs a scenario once.
func play(ctx context.Context, s *Scenario, with Strategy, seed uint64) Metrics {
	return newWorld(s, with, seed).play(ctx)
}

// A run that is stopped ends before its time, and gives no figures.
func TestRunContext(t *testing.T) {
	scenario, strategy := scenarioNamed(t, "hidden-bucket"), strategyNamed(t, "headway")
	stopped := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	heard := 0
	row, err := RunContext(ctx, scenario, strategy, seedsUpTo(1000), func(done int) {
		heard = done
		stop(stopped)
	})
	// Those that were under way when the first had ended may end as well.
	if most := runtime.GOMAXPROCS(0); !errors.Is(err, stopped) || row != (Row{}) || heard > most {
		t.Errorf("RunContext = %+v, %v after %d runs; want nothing, stopped, after %d at most", row, err, heard, most)
	}
	w := newWorld(&scenario, strategy, 1)
	if w.play(ctx); w.loop.Now() != 0 {
		t.Errorf("a run goes on to %v with a context that is done; want 0", w.loop.Now())
	}
}

// A row has the mean and the worst of each figure, whichever way is worse.
func TestRow(t *testing.T) {
	row := newRow("s", "t", []Metrics{
		{Utilisation: 1, RefusedRatio: 0.2, MakespanRatio: 1, Jain: 0.5},
		{Utilisation: 0.5, RefusedRatio: 0, MakespanRatio: 3, Jain: 1},
	})
	if row.Utilisation != 0.75 || row.RefusedRatio != 0.1 || row.MakespanRatio != 2 || row.Jain != 0.75 {
		t.Errorf("mean %+v", row.Metrics)
	}
	if w := row.Worst; w.Utilisation != 0.5 || w.RefusedRatio != 0.2 || w.MakespanRatio != 3 || w.Jain != 0.5 || row.RefusedWorst != 0.2 {
		t.Errorf("worst %+v, refused %v", w, row.RefusedWorst)
	}
	row = newRow("s", "t", []Metrics{{MakespanRatio: 1}, {}})
	if row.MakespanRatio != 0 || row.Worst.MakespanRatio != 0 {
		t.Errorf("makespan %v, worst %v, where one run did not end; want 0", row.MakespanRatio, row.Worst.MakespanRatio)
	}
}

func TestRowAsJSON(t *testing.T) {
	text, err := json.Marshal(newRow("s", "t", []Metrics{{}}))
	if err != nil {
		t.Fatal(err)
	}
	var row map[string]any
	if err := json.Unmarshal(text, &row); err != nil {
		t.Fatal(err)
	}
	want := []string{"scenario", "strategy", "seeds", "refused_worst"}
	for _, m := range metrics {
		want = append(want, m.name)
	}
	for _, name := range want {
		if _, ok := row[name]; !ok {
			t.Errorf("no %q in %s", name, text)
		}
	}
}

func TestTargetMet(t *testing.T) {
	row := newRow("s", "t", []Metrics{{Utilisation: 0.9, RefusedRatio: 0.1}})
	for _, tt := range []struct {
		target Target
		want   bool
	}{
		{atLeast("utilisation", 0.9, ""), true},
		{atLeast("utilisation", 0.91, ""), false},
		{atMost("refused_ratio", 0.1, ""), true},
		{atMost("refused_ratio", 0.09, ""), false},
		{atMost("makespan_ratio", 1.1, ""), false},
		{atMost("no such thing", 1, ""), false},
	} {
		if got := tt.target.Met(row); got != tt.want {
			t.Errorf("Met(%+v) = %t, want %t", tt.target, got, tt.want)
		}
	}
}

// Workers never have more calls under way than there are workers, and every
// call of the source is made.
func TestEmploy(t *testing.T) {
	s := scenarioNamed(t, "trace-replay")
	w := &world{scenario: &s, loop: &simulate.Loop{}}
	w.site = &simulate.Site{Loop: w.loop, Server: bucketOf(1000, 1000)()}
	p := &simulate.Process{Site: w.site, Net: simulate.Network{RTT: time.Second}, Strategy: sender{}}
	most := 0
	p.Observe = func(*simulate.Call, simulate.Answer) { most = max(most, p.InFlight()+1) }
	calls := employ(w, p, 3, simulate.Batch(time.Second, 10))
	w.loop.Run(time.Minute)
	if calls != 10 || p.Stats.Done != 10 || most != 3 || w.site.Seen.Last != 4500*ms {
		t.Errorf("%v calls, %d done, %d at a time, the last at %v; want 10, 10, 3, 4.5s", calls, p.Stats.Done, most, w.site.Seen.Last)
	}
}

func TestOutage(t *testing.T) {
	o := &outage{Server: bucketOf(1, 2)(), until: 10 * time.Second}
	if v := o.Arrive(4*time.Second, 1); v.Admitted || v.RetryAt != 10*time.Second {
		t.Errorf("in the outage: %+v", v)
	}
	if v := o.Arrive(10*time.Second, 1); !v.Admitted || v.Left != 1 {
		t.Errorf("at its end: %+v", v)
	}
}

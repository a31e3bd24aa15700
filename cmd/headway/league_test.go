package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"

	"github.com/headway-go/headway/internal/league"
)

// A scenario is played for every seed, and its targets stand beside the figures.
func TestLeagueTable(t *testing.T) {
	out, status := headway(t, "", "league", "--scenario=dashboard-cold", "--strategy=headway,none", "--seeds=2", "--seed=7")
	if status != ok {
		t.Fatalf("status %d: %s", status, out)
	}
	lines := strings.Split(out, "\n")
	for i, want := range []string{
		"scenario strategy figure mean worst target met best published",
		"dashboard-cold headway refused_total 0.00 0.00 ≤ 0 yes -",
		"max_wait_s 0.00 0.00 ≤ 0 yes -",
		"utilisation 100.000 % 100.000 % - - -",
		"refused_ratio 0.000 % 0.000 % - - -",
		"dashboard-cold none refused_total 0.00 0.00 ≤ 0 yes -",
	} {
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("line %d is %q, want %q", i+1, got, want)
		}
	}
	if want := "\nMean and worst of 2 seeds, 7 to 8. A target is met by the mean: 4 of 4 are.\n"; !strings.HasSuffix(out, want) {
		t.Errorf("it ends with %q, want %q", lines[len(lines)-2], want)
	}
}

// Where no name is given, ours plays the scenarios with targets.
func TestLeagueDefaults(t *testing.T) {
	played, err := new(leagueCommand).scenarios()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range league.Scenarios() {
		isPlayed := slices.ContainsFunc(played, func(p league.Scenario) bool { return p.Name == s.Name })
		if isPlayed != (len(s.Targets) > 0) {
			t.Errorf("%s has %d targets; is it played? %t", s.Name, len(s.Targets), isPlayed)
		}
	}
	out, _ := headway(t, "", "league", "--scenario=dashboard-cold", "--json")
	if rows := leagueRows(t, out); len(rows) != 1 || rows[0]["strategy"] != "headway" || rows[0]["seeds"] != 20.0 {
		t.Errorf("by default %v", rows)
	}
}

func leagueRows(t *testing.T, out string) (rows []map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return rows
}

// Others read these names. Each row is one scenario and one strategy.
func TestLeagueJSON(t *testing.T) {
	out, status := headway(t, "", "league", "--scenario", "batch", "--scenario", "dashboard-cold,batch", "--strategy", "full-jitter", "--seeds", "2", "--seed", "7", "--json")
	rows := leagueRows(t, out)
	if status != ok || len(rows) != 2 || rows[0]["scenario"] != "batch" || rows[1]["scenario"] != "dashboard-cold" {
		t.Fatalf("status %d, want batch and dashboard-cold: %s", status, out)
	}
	want := []string{
		"herd_peak", "jain", "makespan_ratio", "max_wait_s", "neighbour_refused_ratio", "p50_wait_s", "p99_wait_s",
		"refused_ratio", "refused_total", "refused_worst", "scenario", "seeds", "stdev", "strategy", "utilisation",
	}
	for _, row := range rows {
		if got := slices.Sorted(maps.Keys(row)); !slices.Equal(got, want) {
			t.Errorf("keys %q, want %q", got, want)
		}
	}
	if ratio := rows[1]["makespan_ratio"]; ratio != nil {
		t.Errorf("the makespan of what has no bound is %v, want null", ratio)
	}
	played := leaguePlay(t, "batch", "full-jitter", 7, 8)
	if got := rows[0]; got["seeds"] != 2.0 || got["strategy"] != "full-jitter" || got["refused_total"] != played.RefusedTotal ||
		got["refused_worst"] != played.RefusedWorst || got["makespan_ratio"] != played.MakespanRatio {
		t.Errorf("2 seeds from 7 give %v, want those of %+v", got, played)
	}
}

// leaguePlay is what the library itself makes of it.
func leaguePlay(t *testing.T, scenario, strategy string, seeds ...uint64) league.Row {
	t.Helper()
	s, err := pick("", []string{scenario}, league.Scenarios(), scenarioName)
	if err != nil {
		t.Fatal(err)
	}
	with, err := pick("", []string{strategy}, league.Strategies(), strategyName)
	if err != nil {
		t.Fatal(err)
	}
	return league.Run(s[0], with[0], seeds, nil)
}

func TestLeagueErrors(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--scenario=heroku", `--scenario: there is no "heroku": near it are heroku-2x5,`},
		{"--scenario=batch,bacth", `--scenario: there is no "bacth": near it are batch; --list shows all`},
		{"--scenario=zzzzzzzz", `--scenario: there is no "zzzzzzzz": --list shows all`},
		{"--strategy=full-jiter", `--strategy: there is no "full-jiter": near it are full-jitter;`},
		{"--strategy=Headway", `near it are headway;`},
		{"--seeds=0", "--seeds: want a number from 1 to 100000"},
		{"--seeds=-1", "--seeds: want a number"},
		{"--seeds=100001", "--seeds: want a number"},
		{"--seed=-1", "--seed"},
		{"--seed=18446744073709551615", "--seed: too large for so many seeds"},
		{"--list --json", "--list"},
	} {
		out, status := headway(t, "", append([]string{"league"}, strings.Fields(tt.args)...)...)
		if status != badRequest || !strings.Contains(out, tt.want) || len(out) > 300 {
			t.Errorf("headway league %s: status %d, %.300q, want 2, %q", tt.args, status, out, tt.want)
		}
	}
}

func TestLeagueList(t *testing.T) {
	out, status := headway(t, "", "league", "--list")
	lines := strings.Split(out, "\n")
	for _, s := range league.Scenarios() {
		name := s.Name
		if len(s.Targets) > 0 {
			name += "*"
		}
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  "+name+"  ") }) {
			t.Errorf("%s is not listed", name)
		}
	}
	if status != ok || !strings.Contains(out, "\n  headway  ") {
		t.Errorf("status %d, want the strategies: %s", status, out)
	}
}

// Ctrl-C ends it at once, with the status that shells give.
func TestLeagueInterrupted(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt) // so that one that comes too early or too late ends no test
	defer signal.Stop(heard)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		out, status := headway(t, "", "league", "--scenario=hidden-bucket", "--seeds=100000")
		if status != stopped || out != "headway: interrupted\n" {
			t.Errorf("status %d, %q; want 130, interrupted", status, out)
		}
	}()
	for {
		if err := self.Signal(os.Interrupt); err != nil {
			t.Skip("this system has no such signal: ", err)
		}
		<-heard
		select {
		case <-ended:
			return
		default:
		}
	}
}

func TestLeagueCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr bytes.Buffer
	if status := run(ctx, []string{"league"}, nil, &out, &stderr); status != stopped || out.Len() > 0 {
		t.Errorf("status %d, %q, %q; want 130", status, out.String(), stderr.String())
	}
}

// Whoever looks on sees how far it is, and nothing of it in the end.
func TestProgress(t *testing.T) {
	var seen, unseen bytes.Buffer
	for visible, w := range map[bool]*bytes.Buffer{true: &seen, false: &unseen} {
		bar := progress(w, visible, 10)
		bar.Describe("batch")
		for range 10 {
			if err := bar.Add(1); err != nil {
				t.Error(err)
			}
		}
		if err := bar.Clear(); err != nil {
			t.Error(err)
		}
	}
	text := seen.String()
	last := text[strings.LastIndex(strings.TrimRight(text, "\r"), "\r")+1:]
	if !strings.Contains(text, "batch") || !strings.Contains(text, "/10") || strings.TrimSpace(last) != "" {
		t.Errorf("somebody who looks on sees %q", text)
	}
	if unseen.Len() > 0 {
		t.Errorf("nobody sees %q", unseen.String())
	}
	if isTerminal(&seen) {
		t.Error("a buffer is taken for a terminal")
	}
}

// What is shown of figures and targets, of rows that are made up.
func TestResults(t *testing.T) {
	c := leagueCommand{Seeds: 1, Seed: 5}
	s := league.Scenario{Name: "storm", Targets: []league.Target{
		{Metric: "refused_ratio", Value: 0.0025, Published: "3 %"},
		{Metric: "makespan_ratio", Value: 1.1},
		{Metric: "jain", Least: true, Value: 0.999},
		{Metric: "p99_wait_s", Value: 2},
	}}
	good := league.Metrics{Utilisation: 0.5, RefusedRatio: 0.0024999, Jain: 0.99912, MakespanRatio: 1.05, P99Wait: 1.234}
	var b strings.Builder
	c.writeResults(&b, []result{
		{s, league.Row{Scenario: "storm", Strategy: "good", Metrics: good, Worst: league.Metrics{RefusedRatio: 0.12}}},
		{s, league.Row{Scenario: "storm", Strategy: "bad", Metrics: league.Metrics{RefusedRatio: 0.0026, P99Wait: 2.001}}},
	})
	golden(t, "league.golden", b.String())
}

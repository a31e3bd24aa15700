package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/headway-go/headway/internal/league"
)

// writeList writes the names there are for people to read.
func writeList(w io.Writer) {
	fmt.Fprintln(w, "Scenarios (those marked * have targets, and are played by default)")
	table(w, func(row func(...string)) {
		for _, s := range league.Scenarios() {
			mark := ""
			if len(s.Targets) > 0 {
				mark = "*"
			}
			row(s.Name+mark, s.About)
		}
	})
	fmt.Fprintln(w, "\nStrategies")
	table(w, func(row func(...string)) {
		for _, s := range league.Strategies() {
			row(s.Name, s.About)
		}
	})
}

// writeResults writes what came out for people to read.
func (c *leagueCommand) writeResults(w io.Writer, results []result) {
	table(w, func(row func(...string)) {
		row("scenario", "strategy", "figure", "mean", "worst", "target", "met", "best published")
		for _, r := range results {
			scenario, strategy := r.row.Scenario, r.row.Strategy
			for _, cells := range r.lines() {
				row(append([]string{scenario, strategy}, cells...)...)
				scenario, strategy = "", ""
			}
		}
	})
	fmt.Fprintf(w, "\nMean and worst of %s.", c.seedsText())
	if met, targets := score(results); targets > 0 {
		fmt.Fprintf(w, " A target is met by the mean: %d of %d are.", met, targets)
	}
	fmt.Fprintln(w)
}

// lines are the figures that have a target, and two that are always shown.
func (r *result) lines() (lines [][]string) {
	rest := []string{"utilisation", "refused_ratio"}
	for _, t := range r.scenario.Targets {
		met := "no"
		if t.Met(r.row) {
			met = "yes"
		}
		lines = append(lines, append(r.line(t.Metric), bound(t), met, cmp.Or(t.Published, "-")))
		rest = slices.DeleteFunc(rest, func(metric string) bool { return metric == t.Metric })
	}
	for _, metric := range rest {
		lines = append(lines, append(r.line(metric), "-", "-", "-"))
	}
	return lines
}

func (r *result) line(metric string) []string {
	return []string{metric, figure(metric, r.row.Metrics), figure(metric, r.row.Worst)}
}

func figure(metric string, m league.Metrics) string {
	v, _ := m.Value(metric)
	switch {
	case isShare(metric):
		return strconv.FormatFloat(100*v, 'f', 3, 64) + " %"
	case metric == "makespan_ratio" && v == 0:
		return "-"
	case metric == "makespan_ratio" || metric == "jain":
		return strconv.FormatFloat(v, 'f', 5, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func isShare(metric string) bool {
	return metric == "utilisation" || strings.HasSuffix(metric, "refused_ratio")
}

// bound is a target without its metric.
func bound(t league.Target) string {
	sign, v, unit := "≤ ", t.Value, ""
	if t.Least {
		sign = "≥ "
	}
	if isShare(t.Metric) {
		v, unit = 100*v, " %"
	}
	return sign + strconv.FormatFloat(v, 'g', 6, 64) + unit
}

func (c *leagueCommand) seedsText() string {
	if c.Seeds == 1 {
		return fmt.Sprintf("seed %d", c.Seed)
	}
	return fmt.Sprintf("%d seeds, %d to %d", c.Seeds, c.Seed, c.Seed+uint64(c.Seeds)-1)
}

// score counts the targets, and those that are met.
func score(results []result) (met, targets int) {
	for _, r := range results {
		for _, t := range r.scenario.Targets {
			targets++
			if t.Met(r.row) {
				met++
			}
		}
	}
	return met, targets
}

// A rowJSON is a row for others to read: without the worst of each figure, and
// null where there is no makespan. Its own fields hide those of the same name.
type rowJSON struct {
	league.Row
	Worst    *league.Metrics `json:"worst,omitempty"` // always nil
	Makespan *float64        `json:"makespan_ratio"`
}

func rows(results []result) []rowJSON {
	rows := make([]rowJSON, len(results))
	for i, r := range results {
		rows[i] = rowJSON{Row: r.row}
		if r.row.MakespanRatio > 0 {
			rows[i].Makespan = &r.row.MakespanRatio
		}
	}
	return rows
}

package league

import (
	"math"

	"github.com/headway-go/headway/throttle/simulate"
)

// Metrics are the figures of one run, or the mean of several.
type Metrics struct {
	// Utilisation is what the server admitted, of the neighbours' calls too,
	// of what could have been: min(demand, start level + rate * time).
	Utilisation float64 `json:"utilisation"`

	// RefusedRatio is the share of our requests that were refused, every
	// attempt a request. In the Heroku scenarios it is the mean of the
	// threads' shares, as in the experiment that they re-create.
	RefusedRatio float64 `json:"refused_ratio"`
	RefusedTotal float64 `json:"refused_total"` // our requests that were refused

	NeighbourRefusedRatio float64 `json:"neighbour_refused_ratio"` // of the neighbours' calls

	// MakespanRatio is how long all calls together took, of the least that
	// the server and the network allow. 0: some were left, or it was not
	// measured.
	MakespanRatio float64 `json:"makespan_ratio"`

	// How long calls that succeeded waited in the client, in seconds.
	P50Wait float64 `json:"p50_wait_s"`
	P99Wait float64 `json:"p99_wait_s"`
	MaxWait float64 `json:"max_wait_s"`

	// Jain is the fairness of what was admitted, and Stdev the sample
	// deviation of how many requests were answered, between the processes,
	// in the Heroku scenarios between the threads.
	Jain  float64 `json:"jain"`
	Stdev float64 `json:"stdev"`

	HerdPeak float64 `json:"herd_peak"` // most arrivals within 100 ms
}

// A Row is what a strategy achieved in a scenario: the mean over the seeds, and
// beside it the worst of them for each figure by itself.
type Row struct {
	Scenario string `json:"scenario"`
	Strategy string `json:"strategy"`
	Seeds    int    `json:"seeds"`
	Metrics
	RefusedWorst float64 `json:"refused_worst"` // Worst.RefusedRatio
	Worst        Metrics `json:"worst"`
}

// A metric names a figure.
type metric struct {
	name string // as in JSON
	high bool   // high is good
	of   func(*Metrics) *float64
}

var metrics = []metric{
	{"utilisation", true, func(m *Metrics) *float64 { return &m.Utilisation }},
	{"refused_ratio", false, func(m *Metrics) *float64 { return &m.RefusedRatio }},
	{"refused_total", false, func(m *Metrics) *float64 { return &m.RefusedTotal }},
	{"neighbour_refused_ratio", false, func(m *Metrics) *float64 { return &m.NeighbourRefusedRatio }},
	{"makespan_ratio", false, func(m *Metrics) *float64 { return &m.MakespanRatio }},
	{"p50_wait_s", false, func(m *Metrics) *float64 { return &m.P50Wait }},
	{"p99_wait_s", false, func(m *Metrics) *float64 { return &m.P99Wait }},
	{"max_wait_s", false, func(m *Metrics) *float64 { return &m.MaxWait }},
	{"jain", true, func(m *Metrics) *float64 { return &m.Jain }},
	{"stdev", false, func(m *Metrics) *float64 { return &m.Stdev }},
	{"herd_peak", false, func(m *Metrics) *float64 { return &m.HerdPeak }},
}

// Value returns the figure of the given name, as in JSON, and whether there is
// one.
func (m Metrics) Value(name string) (float64, bool) {
	for _, each := range metrics {
		if each.name == name {
			return *each.of(&m), true
		}
	}
	return 0, false
}

func newRow(scenario, strategy string, runs []Metrics) Row {
	row := Row{Scenario: scenario, Strategy: strategy, Seeds: len(runs)}
	if len(runs) == 0 {
		return row
	}
	for _, each := range metrics {
		values := make([]float64, len(runs))
		for i := range runs {
			values[i] = *each.of(&runs[i])
		}
		*each.of(&row.Metrics) = simulate.Mean(values)
		*each.of(&row.Worst) = each.worst(values)
	}
	row.unfinished(runs)
	row.RefusedWorst = row.Worst.RefusedRatio
	return row
}

func (m metric) worst(values []float64) float64 {
	worst := values[0]
	for _, v := range values {
		if m.high {
			worst = math.Min(worst, v)
		} else {
			worst = math.Max(worst, v)
		}
	}
	return worst
}

// unfinished takes the makespan out of a row if one of its runs has none: a
// mean with zeros in it would look too good.
func (r *Row) unfinished(runs []Metrics) {
	for _, run := range runs {
		if run.MakespanRatio == 0 {
			r.MakespanRatio, r.Worst.MakespanRatio = 0, 0
		}
	}
}

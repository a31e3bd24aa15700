package league

// A Target is a figure that our own strategy is to reach in a scenario, as a
// mean over 20 seeds or more.
type Target struct {
	Metric string // its name, as in JSON
	Least  bool   // the figure is to be Value or more; else, Value or less
	Value  float64

	// Published is the best figure that others report for the same case, in
	// their words; empty if there is none.
	Published string
}

// Met reports whether a row reaches the target by its mean. A makespan that was
// not measured does not reach any.
func (t Target) Met(r Row) bool {
	v, ok := r.Value(t.Metric)
	switch {
	case !ok || t.Metric == "makespan_ratio" && v == 0:
		return false
	case t.Least:
		return v >= t.Value
	}
	return v <= t.Value
}

func atLeast(metric string, v float64, published string) Target {
	return Target{Metric: metric, Least: true, Value: v, Published: published}
}

func atMost(metric string, v float64, published string) Target {
	return Target{Metric: metric, Value: v, Published: published}
}

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/plot"
	"github.com/headway-go/headway/throttle/tune"
)

// tuneFigures are the clusters by their size, and what is rejected by the burst.
func tuneFigures(r *tune.Report) []plot.Figure {
	return []plot.Figure{clusterFigure(&r.All, r.Percentile), rejectFigure(r)}
}

// clusterFigure goes to twice the percentile: a few clusters beyond it would make
// the rest too small to be seen.
func clusterFigure(c *tune.Class, percentile float64) plot.Figure {
	most := min(max(2*c.Clusters.Percentile, 10), 1<<16)
	sizes := map[int64]int64{}
	beyond := int64(0)
	for _, s := range c.Clusters.Sizes {
		sizes[s.Size] = s.Clusters
		if s.Size > most {
			beyond += s.Clusters
		}
	}
	all := plot.Series{Name: "clusters"}
	for size := int64(1); size <= most; size++ { // a step each
		x, y := float64(size), float64(sizes[size])
		all.X, all.Y = append(all.X, x-0.5, x+0.5), append(all.Y, y, y)
	}
	at := plot.Series{
		Name: fmt.Sprint("p", percentile),
		Kind: plot.Points,
		X:    []float64{float64(c.Clusters.Percentile)},
		Y:    []float64{float64(sizes[c.Clusters.Percentile])},
	}
	title := "Clusters by size"
	if beyond > 0 {
		title += fmt.Sprintf(" (not shown: %s, of up to %d)", plural(beyond, "larger one"), c.Clusters.Max)
	}
	return plot.Figure{Title: title, X: "calls in a cluster", Y: "clusters", Series: []plot.Series{all, at}}
}

// rejectFigure goes to twice the burst that is advised or enough.
func rejectFigure(r *tune.Report) plot.Figure {
	c := &r.All
	most := max(2*c.Advised.TauOverT, 4)
	if c.Enough != nil {
		most = max(most, c.Enough.TauOverT+1)
	}
	all, others := plot.Series{Name: "all calls"}, plot.Series{Name: "without loops"}
	for _, at := range c.Candidates {
		if at.TauOverT <= most {
			x := float64(at.TauOverT)
			all.X, all.Y = append(all.X, x), append(all.Y, 100*at.Rate)
			others.X, others.Y = append(others.X, x), append(others.Y, 100*at.OtherRate)
		}
	}
	series := []plot.Series{all}
	if r.NumLoops > 0 {
		series = append(series, others)
	}
	mark := func(name string, kind plot.Kind, b int64, rate float64) {
		series = append(series, plot.Series{Name: name, Kind: kind, X: []float64{float64(b)}, Y: []float64{100 * rate}})
	}
	if c.Enough != nil {
		mark("enough", plot.Points, c.Enough.TauOverT, c.Enough.OtherRate)
	}
	return plot.Figure{Title: "Rejected by burst", X: "τ/T (one more goes back to back)", Y: "% of the calls", Series: series}
}

// writeTuneCSV writes the candidates of all classes.
func writeTuneCSV(w io.Writer, r *tune.Report) error {
	float := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	seconds := func(s tune.Span) string { return float(time.Duration(s).Seconds()) }
	rows := [][]string{{
		"class", "type", "tau_over_t", "back_to_back", "tolerance_seconds", "window_share", "rejected", "reject_rate",
		"reject_rate_without_loops", "near_limit_rate", "worst_wait_seconds", "worst_queue_seconds",
	}}
	for _, c := range append([]tune.Class{r.All}, r.Classes...) {
		for _, at := range c.Candidates {
			rows = append(rows, []string{
				c.Name, c.Type.String(), fmt.Sprint(at.TauOverT), fmt.Sprint(at.BackToBack), seconds(at.Tolerance), float(at.Share),
				fmt.Sprint(at.Rejected), float(at.Rate), float(at.OtherRate), float(at.NearRate), seconds(at.WorstWait), seconds(at.Queue),
			})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

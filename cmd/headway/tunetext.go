package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/throttle/tune"
)

// writeReport writes what came out for people to read.
func (c *tuneCommand) writeReport(w io.Writer, r *tune.Report) {
	writeSource(w, r)
	writeAdvice(w, r)
	writeClasses(w, r)
	c.writeCandidates(w, r)
	writeMatrix(w, r)
	writeWarnings(w, r)
}

func writeSource(w io.Writer, r *tune.Report) {
	name := printable(r.Logs[0].Name)
	if len(r.Logs) > 1 {
		name = plural(int64(len(r.Logs)), "log")
	}
	from, to := instant(r.From), instant(r.To)
	if r.To.Year() == 1970 { // they count from some beginning of their own
		from, to = length(r.From.Sub(time.Unix(0, 0))), length(r.To.Sub(time.Unix(0, 0)))
	}
	fmt.Fprintf(w, "%s: %s of %s, from %s to %s\n", name, plural(r.Calls, "call"), plural(r.Clients, "client"), from, to)
	for _, log := range r.Logs {
		if log.Bad == 0 {
			continue
		}
		fmt.Fprintf(w, "  %s: %s left out\n", printable(log.Name), plural(log.Bad, "bad line"))
		for i, bad := range log.First {
			fmt.Fprintf(w, "    %s: %s\n", printable(log.Where(i)), printable(bad.Problem))
		}
	}
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// writeAdvice writes what to publish if one limit is to hold for all calls.
func writeAdvice(w io.Writer, r *tune.Report) {
	all := r.All
	fmt.Fprintf(w, "\nOne limit for all calls of a client: %v, so T = %s\n", all.Limit, length(all.Limit.Interval()))
	rejected := "rejected"
	if r.NumLoops > 0 {
		rejected += " without loops"
	}
	table(w, func(row func(...string)) {
		row("", "τ/T", "back to back", "τ", "of the window", rejected)
		row(adviceCells("advised, from the clusters", all.Advised, all.At(all.Advised.TauOverT))...)
		if all.Enough == nil {
			row("enough, by replay", "none")
		} else {
			row(adviceCells("enough, by replay", all.Enough.Burst, *all.Enough)...)
		}
	})
	fmt.Fprint(w, `  Back to back is how many calls go at once from rest: Burst in package throttle.
  It is one more than τ/T, which some texts call the burst. Let it run in shadow mode first; publish both,
  the rate and the burst.
`)
}

// adviceCells tell of a burst what was rejected at it, or at the next smaller one
// that was tried.
func adviceCells(name string, b tune.Burst, tried tune.Candidate) []string {
	rejected := percent(tried.OtherRate)
	if tried.TauOverT < b.TauOverT && tried.Rejected > 0 {
		rejected = "≤ " + rejected
	}
	return []string{name, fmt.Sprint(b.TauOverT), fmt.Sprint(b.BackToBack), length(time.Duration(b.Tolerance)), percent(b.Share), rejected}
}

// percent has as many digits as make a difference.
func percent(v float64) string {
	digits := 2
	if v >= 0.1 || v == 0 {
		digits = 0
	}
	return strconv.FormatFloat(100*v, 'f', digits, 64) + " %"
}

// maxClasses is how many classes are shown.
const maxClasses = 15

func writeClasses(w io.Writer, r *tune.Report) {
	shown := r.Classes[:min(len(r.Classes), maxClasses)]
	if len(shown) == 1 && shown[0].Name == tune.NoRoute {
		shown = nil // it would say the same again
	}
	limits := slices.ContainsFunc(shown, func(c tune.Class) bool { return c.Limit != r.All.Limit })
	fmt.Fprintln(w, "\nClasses, each as if it had a limit to itself")
	table(w, func(row func(...string)) {
		head := []string{"class", "type", "calls", "clients", "p50", fmt.Sprint("p", r.Percentile), "max", "τ/T", "back to back", "τ", "of window", "enough"}
		if limits {
			head = append(head, "limit")
		}
		row(head...)
		for _, c := range append([]tune.Class{r.All}, shown...) {
			cells := classCells(&c)
			if limits {
				cells = append(cells, c.Limit.String())
			}
			row(cells...)
		}
	})
	if more := len(r.Classes) - maxClasses; more > 0 {
		fmt.Fprintf(w, "  and %d more, which --json has\n", more)
	}
	fmt.Fprintf(w, `  p50, p%v, max: calls in a cluster, in which they are at most %s apart.
  τ/T goes by the type, as below. Enough is the least τ/T at which at most %s are rejected.
`, r.Percentile, length(time.Duration(r.Gap)), percent(r.CloseToZero))
}

func classCells(c *tune.Class) []string {
	enough := "none"
	if c.Enough != nil {
		enough = fmt.Sprint(c.Enough.TauOverT)
	}
	return []string{
		shorten(c.Name, 40), c.Type.String(), fmt.Sprint(c.Calls), fmt.Sprint(c.Clients),
		fmt.Sprint(c.Clusters.Median), fmt.Sprint(c.Clusters.Percentile), fmt.Sprint(c.Clusters.Max),
		fmt.Sprint(c.Advised.TauOverT), fmt.Sprint(c.Advised.BackToBack), length(time.Duration(c.Advised.Tolerance)), percent(c.Advised.Share), enough,
	}
}

// usualSteps are the bursts that are shown even if nobody asks for them.
var usualSteps = []int64{0, 1, 2, 4, 6, 9, 12, 16, 20, 28, 40, 64, 128, 256, 512, 1024, 2048, 4096}

func (c *tuneCommand) writeCandidates(w io.Writer, r *tune.Report) {
	fmt.Fprintln(w, "\nReplayed: all calls of a client against one limit")
	loops := r.NumLoops > 0
	table(w, func(row func(...string)) {
		row(candidateRow("τ/T", "back to back", "rejected", "reject rate", "without loops", "near limit", "worst wait", "worst queue", "", loops)...)
		for _, at := range r.All.Candidates {
			mark := markOf(r, at.TauOverT)
			if mark == "" && !c.isShown(r, at) {
				continue
			}
			row(candidateRow(fmt.Sprint(at.TauOverT), fmt.Sprint(at.BackToBack), fmt.Sprint(at.Rejected), percent(at.Rate), percent(at.OtherRate),
				percent(at.NearRate), length(time.Duration(at.WorstWait)), length(time.Duration(at.Queue)), mark, loops)...)
		}
	})
	fmt.Fprint(w, `  Near limit: passed, but one more right behind would not have. Worst wait: of a rejected call, until it
  would have passed. Worst queue: of a client that waits its turn instead, as a Transport does.
`)
}

// isShown leaves out what would make the table long, and what only loops would
// notice.
func (c *tuneCommand) isShown(r *tune.Report, at tune.Candidate) bool {
	if at.Rejected == 0 || slices.Contains(c.Candidates, at.TauOverT) {
		return true
	}
	return slices.Contains(usualSteps, at.TauOverT) && (at.OtherRate > 0 || at.TauOverT < r.All.Advised.TauOverT)
}

func candidateRow(b, backToBack, rejected, rate, otherRate, near, wait, queue, mark string, loops bool) []string {
	cells := []string{b, backToBack, rejected, rate}
	if loops {
		cells = append(cells, otherRate)
	}
	return append(cells, near, wait, queue, mark)
}

// markOf says what is special about a candidate.
func markOf(r *tune.Report, b int64) string {
	var marks []string
	if r.All.Enough != nil && b == r.All.Enough.TauOverT {
		marks = append(marks, "enough")
	}
	if b == r.All.Advised.TauOverT {
		marks = append(marks, "advised")
	}
	return strings.Join(marks, ", ")
}

func writeMatrix(w io.Writer, r *tune.Report) {
	fmt.Fprintln(w, "\nTolerance by type of client")
	table(w, func(row func(...string)) {
		row("type", "as", "τ/T", "because", "classes here")
		for _, m := range r.Matrix {
			n := 0
			for _, c := range r.Classes {
				if c.Type == m.Type {
					n++
				}
			}
			row(m.Type.String(), m.Who, m.Rule, m.Why, fmt.Sprint(n))
		}
	})
	fmt.Fprintln(w, "  --class 'POST /session=login' sets the type of a class.")
}

func writeWarnings(w io.Writer, r *tune.Report) {
	if len(r.Warnings) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWarnings")
	for _, warning := range r.Warnings {
		about := ""
		if n := len(warning.Classes); n > 0 && warning.Kind != "unlike classes" {
			about = shorten(warning.Classes[0], 40) + ": "
			if n > 1 {
				about = fmt.Sprintf("%s and %s: ", shorten(warning.Classes[0], 40), plural(int64(n-1), "more class"))
			}
		}
		fmt.Fprintf(w, "  %s%s\n", about, printable(warning.Text))
	}
}

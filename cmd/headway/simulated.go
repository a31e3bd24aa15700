package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// mostSteps is how many requests are shown, unless all are to be.
const mostSteps = 100

// A shown is a form in which a simulation is shown: first its steps one by one,
// then what they add up to. What comes first in the output may be known last, so
// the steps wait in a spool.
type shown interface {
	step(n int, s sim.Step) error
	finish(w io.Writer, r sim.Report) error
	close()
}

// shown returns the form that is wanted. The report is that of the start.
func (c *simulateCommand) shown(r sim.Report) shown {
	steps := &steps{names: modelNames(r), most: mostSteps}
	if c.All || c.CSV {
		steps.most = math.MaxInt
	}
	switch {
	case c.JSON:
		return &stepsJSON{steps: steps}
	case c.CSV:
		return &stepsCSV{steps: steps, csv: csv.NewWriter(&steps.spool)}
	}
	return &stepsTable{steps: steps, table: tabwriter.NewWriter(&steps.spool, 9, 0, 2, ' ', 0)}
}

// steps is what all forms have in common.
type steps struct {
	spool spool
	names []string // of the models
	most  int      // that are shown
	left  int64    // that are not
}

func (s *steps) close() { _ = s.spool.Close() } // the system clears up what is left

// skip reports whether a step is not to be shown, and counts it.
func (s *steps) skip(n int) bool {
	if n <= s.most {
		return false
	}
	s.left++
	return true
}

// modelNames are short: what stands above a column. Where a name would come
// twice, or there are several, it has a number.
func modelNames(r sim.Report) (names []string) {
	for i, m := range r.Models {
		name := m.Spec.Name()
		if len(r.Models) > 1 {
			name = fmt.Sprintf("%d %s", i+1, name)
		}
		names = append(names, name)
	}
	return names
}

// stepsTable is for people to read.
type stepsTable struct {
	*steps
	table *tabwriter.Writer
}

// A tabwriter keeps what it has not written yet.
const tableBlock = 1000

func (t *stepsTable) step(n int, s sim.Step) error {
	if t.skip(n) {
		return nil
	}
	if n == 1 {
		t.row(append([]string{"time", "cost"}, t.heads()...))
	}
	cells := []string{s.At.String(), s.Cost.String()}
	for _, o := range s.Outcomes {
		if len(s.Outcomes) == 1 {
			cells = append(cells, tokens(o.Before), yes(o.Allowed), tokens(o.Left), instantOrNone(o.RetryAt))
		} else {
			cells = append(cells, inOneCell(o))
		}
	}
	t.row(cells)
	if n%tableBlock == 0 {
		return t.table.Flush()
	}
	return nil
}

func (t *stepsTable) row(cells []string) {
	fmt.Fprintln(t.table, "  "+strings.Join(cells, "\t"))
}

func (t *stepsTable) heads() []string {
	if len(t.names) == 1 {
		return []string{"tokens before", "allowed", "tokens left", "retry at"}
	}
	return t.names
}

func inOneCell(o sim.Outcome) string {
	switch {
	case o.Allowed:
		return tokens(o.Before) + " → " + tokens(o.Left)
	case o.RetryAt == sim.None:
		return tokens(o.Before) + ", refused"
	}
	return tokens(o.Before) + ", retry at " + o.RetryAt.String()
}

// tokens is cut off after four decimals: what is a little short of 1 is not 1,
// or nobody would see why it was refused.
func tokens(v float64) string {
	return exact(math.Floor(v*1e4+1e-6) / 1e4)
}

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func instantOrNone(s sim.Seconds) string {
	if s == sim.None {
		return "-"
	}
	return s.String()
}

func (t *stepsTable) finish(w io.Writer, r sim.Report) error {
	if err := t.table.Flush(); err != nil {
		return err
	}
	writeHeadline(w, r)
	fmt.Fprintln(w)
	if _, err := t.spool.WriteTo(w); err != nil {
		return err
	}
	if t.left > 0 {
		fmt.Fprintf(w, "  and %d more: --all shows them\n", t.left)
	}
	fmt.Fprintln(w)
	writeSums(w, r)
	return nil
}

// stepsCSV has a line for each request and model.
type stepsCSV struct {
	*steps
	csv *csv.Writer
}

func (c *stepsCSV) step(n int, s sim.Step) error {
	if n == 1 {
		c.row("time", "cost", "model", "tokens_before", "allowed", "tokens_left", "retry_at")
	}
	for i, o := range s.Outcomes {
		retry := ""
		if o.RetryAt != sim.None {
			retry = o.RetryAt.String()
		}
		c.row(s.At.String(), s.Cost.String(), c.names[i], exact(o.Before), strconv.FormatBool(o.Allowed), exact(o.Left), retry)
	}
	return c.csv.Error()
}

func (c *stepsCSV) row(cells ...string) { _ = c.csv.Write(cells) } // Error tells

func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (c *stepsCSV) finish(w io.Writer, _ sim.Report) error {
	c.csv.Flush()
	if err := c.csv.Error(); err != nil {
		return err
	}
	_, err := c.spool.WriteTo(w)
	return err
}

// stepsJSON is one object: the report, and with it the steps, one a line.
type stepsJSON struct{ *steps }

func (j *stepsJSON) step(n int, s sim.Step) error {
	if j.skip(n) {
		return nil
	}
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	comma := ",\n"
	if n == 1 {
		comma = "\n"
	}
	_, err = fmt.Fprintf(&j.spool, "%s    %s", comma, line)
	return err
}

func (j *stepsJSON) finish(w io.Writer, r sim.Report) error {
	for i := range r.Models {
		r.Models[i].Curve = nil // it is for a figure
	}
	var head bytes.Buffer
	if err := writeJSON(&head, r); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s,\n  \"steps_left_out\": %d,\n  \"steps\": [", bytes.TrimSuffix(head.Bytes(), []byte("\n}\n")), j.left)
	if _, err := j.spool.WriteTo(w); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "\n  ]\n}\n")
	return err
}

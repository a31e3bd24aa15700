package page

import (
	"cmp"
	"context"
	"iter"
	"math"
	"net/http"
	"net/url"
	"slices"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// A simulation is what a request asks for.
type simulation struct {
	sim.Setup
	row  int  // the first row of the table, from 1
	rows int  // how many
	find bool // the first row is the next that a model refused
}

// A simulated is what comes of it.
type simulated struct {
	sim.Report
	From sim.Seconds `json:"from"` // of the curves
	To   sim.Seconds `json:"to"`
	Rows []row       `json:"rows"`

	Shares *shares `json:"shares"`
}

// A row is one line of the table.
type row struct {
	Number int `json:"number"`
	sim.Step
}

const (
	maxRows = 1000
	points  = 2000 // of a curve: no screen has more columns
)

// simulate answers with a run of the models in the query on the requests in the
// body.
func (p *page) simulate(w http.ResponseWriter, r *http.Request) {
	s, err := readSimulation(r.URL.Query())
	if err != nil {
		fail(w, "", err)
		return
	}
	out, err := s.run(r.Context(), sim.Read(r.Body))
	if err != nil {
		fail(w, "requests", err)
		return
	}
	answer(w, http.StatusOK, out)
}

func readSimulation(q url.Values) (*simulation, error) {
	e := &entries{Values: q}
	specs := e.specs()
	s := &simulation{
		Setup: sim.Setup{Models: specs, Points: points, BurstWindow: e.length("window"), From: e.span("from"), To: e.span("to")},
		row:   max(e.whole("row", 1, math.MaxInt), 1),
		rows:  cmp.Or(e.whole("rows", 1, maxRows), maxRows),
		find:  q.Has("find"),
	}
	return s, e.err()
}

// run plays the requests, and keeps what is to be shown.
func (s *simulation) run(ctx context.Context, requests iter.Seq2[sim.Request, error]) (*simulated, error) {
	run, err := s.New()
	if err != nil {
		return nil, err
	}
	out := &simulated{Rows: []row{}, Shares: newShares(len(s.Models), s.From, s.To)}
	for r, err := range requests {
		if err == nil && r.Number%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		step, err := run.Step(r)
		if err != nil {
			return nil, err
		}
		out.Shares.add(step)
		out.take(s, r.Number, step)
	}
	out.Report = run.Report()
	if out.Requests == 0 {
		return nil, &fault{Field: "requests", Message: "There is no request: write some times in seconds, one a line."}
	}
	out.From, out.To = out.First, out.Last
	if s.To > s.From {
		out.From, out.To = sim.Seconds(s.From), sim.Seconds(s.To)
	}
	return out, nil
}

// take keeps a step if it belongs to the rows.
func (out *simulated) take(s *simulation, number int, step sim.Step) {
	if number < s.row || len(out.Rows) >= s.rows {
		return
	}
	refused := func(o sim.Outcome) bool { return !o.Allowed }
	if s.find && len(out.Rows) == 0 && !slices.ContainsFunc(step.Outcomes, refused) {
		return
	}
	step.Outcomes = slices.Clone(step.Outcomes) // which are good until the next step
	out.Rows = append(out.Rows, row{number, step})
}

package sim

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// An Outcome is what a model made of a request. Tokens are the units there for
// the taking, of the server that had the request where there are several.
type Outcome struct {
	Allowed bool    `json:"allowed"`
	Before  float64 `json:"tokens_before"`
	Left    float64 `json:"tokens_left"`

	// RetryAt is when the same request would be allowed if nobody else came;
	// None for one that was allowed.
	RetryAt Seconds `json:"retry_at_seconds"`
}

// A Step is a request, and what came of it at each model, in the order of the
// Specs.
type Step struct {
	At       Seconds   `json:"time_seconds"`
	Cost     Units     `json:"cost"`
	Outcomes []Outcome `json:"results"` // good until the next step
}

// A Result sums up what a model made of all requests.
type Result struct {
	// Spec has what was given and what followed from it.
	Spec Spec `json:"parameters"`

	// Burst is how many calls of cost 1 may go back to back from rest:
	// 1 + τ/T. Who calls τ/T the burst counts one less.
	Burst int64 `json:"burst"`

	Allowed     int64   `json:"allowed"`
	Refused     int64   `json:"refused"`
	AllowedCost Units   `json:"allowed_cost"`
	RefusedCost Units   `json:"refused_cost"`
	AverageRate float64 `json:"average_rate"` // AllowedCost per second, from the first request to the last; 0 if all came at once

	// LargestBurst is the most cost that was allowed within any BurstWindow.
	LargestBurst Units `json:"largest_burst"`

	Curve *Curve `json:"curve,omitempty"` // if there are to be Points
}

// A Report is the end of a run.
type Report struct {
	Requests    int64    `json:"requests"`
	First       Seconds  `json:"first_seconds"` // None if there were no requests
	Last        Seconds  `json:"last_seconds"`
	BurstWindow Seconds  `json:"burst_window_seconds"`
	Models      []Result `json:"models"`
}

// MaxModels is how many models may stand side by side.
const MaxModels = 32

// A Setup is what a run needs besides requests.
type Setup struct {
	Models []Spec // side by side, 1 to MaxModels

	// BurstWindow is the span within which the most that was allowed is looked
	// for. Zero or less means a second.
	BurstWindow time.Duration

	// Points is how many points each line of a Curve has at most, 16 or more.
	// Zero means that there are no curves.
	Points int

	// From and To are the part of the run that the curves show. A To of zero or
	// less means to the end.
	From, To time.Duration
}

// A Simulation is a run that takes one request after the other.
type Simulation struct {
	window  time.Duration
	players []player
	step    Step
}

// A player is a model, and what is kept of it.
type player struct {
	*server
	sum   simulate.Summary
	curve *recorder // nil if nobody wants one
}

// New starts a run. The error is a [*SpecError], which tells the index of the
// Spec, or one about their number.
func (s Setup) New() (*Simulation, error) {
	if len(s.Models) == 0 || len(s.Models) > MaxModels {
		return nil, fmt.Errorf("sim: %d models, want 1 to %d", len(s.Models), MaxModels)
	}
	if s.BurstWindow <= 0 {
		s.BurstWindow = time.Second
	}
	run := &Simulation{window: s.BurstWindow, step: Step{Outcomes: make([]Outcome, len(s.Models))}}
	for i, spec := range s.Models {
		server, err := spec.build()
		if wrong, ok := errors.AsType[*SpecError](err); ok {
			wrong.Index = i
		}
		if err != nil {
			return nil, err
		}
		run.players = append(run.players, player{
			server: server,
			sum:    simulate.Summary{Burst: simulate.Peak{Window: s.BurstWindow}},
			curve:  s.recorder(),
		})
	}
	return run, nil
}

// recorder is nil if there are to be no curves.
func (s Setup) recorder() *recorder {
	if s.Points <= 0 {
		return nil
	}
	if s.To <= 0 {
		s.To = simulate.Horizon
	}
	empty := thinned{most: max(s.Points, 16)}
	return &recorder{tokens: empty, allowed: empty, refused: empty, from: s.From, to: s.To}
}

// Run sends requests to the models, calls each with every step unless it is nil,
// and reports. It ends with the first error, of the input or of each, and
// reports what was before it.
func (s Setup) Run(requests iter.Seq2[Request, error], each func(Step) error) (Report, error) {
	run, err := s.New()
	if err != nil {
		return Report{}, err
	}
	for r, err := range requests {
		if err != nil {
			return run.Report(), err
		}
		step, err := run.Step(r)
		if err == nil && each != nil {
			err = each(step)
		}
		if err != nil {
			return run.Report(), err
		}
	}
	return run.Report(), nil
}

// Step sends a request, which must not come before the last one, to all models.
// If one of them never takes so much, the error is an [*EntryError], and none
// has had it.
func (s *Simulation) Step(r Request) (Step, error) {
	for i := range s.players {
		if problem := s.players[i].refusesAlways(r.Cost); problem != "" {
			return Step{}, r.wrong("cost", problem)
		}
	}
	s.step.At, s.step.Cost = Seconds(r.At), r.Cost
	for i := range s.players {
		s.step.Outcomes[i] = s.players[i].play(r)
	}
	return s.step, nil
}

func (p *player) play(r Request) Outcome {
	if p.curve != nil {
		p.curve.before(p.server, r.At)
	}
	verdict := p.served.Arrive(r.At, p.own(r.Cost))
	p.sum.Add(simulate.Step{Arrival: simulate.Arrival{At: r.At, Cost: int64(r.Cost)}, Verdict: verdict})
	o := p.outcome(verdict)
	if p.curve != nil {
		p.curve.after(r.At, verdict, o)
	}
	return o
}

// own is a cost in what the model counts.
func (v *server) own(cost Units) int64 { return mulDivUp(int64(cost), v.unit, int64(One)) }

// refusesAlways says why a cost is never allowed, or is empty.
func (v *server) refusesAlways(cost Units) string {
	switch {
	case v.own(cost) > v.holds:
		one := ""
		if v.spec.Servers > 1 {
			one = "one of the servers of "
		}
		most := Units(mulDiv(v.holds, int64(One), v.unit))
		return fmt.Sprintf("%v is above the %v that %s%v ever holds", cost, most, one, v.spec)
	case v.whole && cost%One != 0:
		return fmt.Sprintf("%v is not whole, and %v counts whole units", cost, v.spec)
	}
	return ""
}

func (v *server) outcome(verdict simulate.Verdict) Outcome {
	o := Outcome{Allowed: verdict.Admitted, Before: v.tokens(verdict.Before), Left: v.tokens(verdict.Left), RetryAt: None}
	if !verdict.Admitted && verdict.RetryAt != simulate.Never && verdict.RetryAt != simulate.Unknown {
		o.RetryAt = Seconds(verdict.RetryAt)
	}
	return o
}

// tokens is a level in units, to a billionth: what is beyond that is the noise
// of a float64.
func (v *server) tokens(level float64) float64 {
	return math.Round(level/float64(v.unit)*1e9) / 1e9
}

// Report sums up the requests until now.
func (s *Simulation) Report() Report {
	r := Report{First: None, Last: None, BurstWindow: Seconds(s.window), Models: make([]Result, len(s.players))}
	for i := range s.players {
		p := &s.players[i]
		r.Models[i] = p.result()
		if r.Requests = p.sum.Allowed + p.sum.Refused; r.Requests > 0 {
			r.First, r.Last = Seconds(p.sum.First), Seconds(p.sum.Last)
		}
	}
	return r
}

func (p *player) result() Result {
	r := Result{
		Spec:         p.spec,
		Burst:        p.holds / p.unit * p.spec.servers(),
		Allowed:      p.sum.Allowed,
		Refused:      p.sum.Refused,
		AllowedCost:  Units(p.sum.AllowedUnits),
		RefusedCost:  Units(p.sum.RefusedUnits),
		AverageRate:  p.sum.Rate() / float64(One),
		LargestBurst: Units(p.sum.LargestBurst()),
	}
	if p.curve != nil {
		r.Curve = p.curve.curve()
	}
	return r
}

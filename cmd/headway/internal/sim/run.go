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

// A Simulation is a run that takes one request after the other.
type Simulation struct {
	servers []*server
	sums    []simulate.Summary
	window  time.Duration
	step    Step
}

// New starts a run. The most that was allowed is looked for within any span of
// burstWindow; zero or less means a second. The error is a [*SpecError], which
// tells the index of the Spec, or one about their number.
func New(specs []Spec, burstWindow time.Duration) (*Simulation, error) {
	if len(specs) == 0 || len(specs) > MaxModels {
		return nil, fmt.Errorf("sim: %d models, want 1 to %d", len(specs), MaxModels)
	}
	if burstWindow <= 0 {
		burstWindow = time.Second
	}
	s := &Simulation{window: burstWindow}
	for i, spec := range specs {
		server, err := spec.build()
		if wrong, ok := errors.AsType[*SpecError](err); ok {
			wrong.Index = i
		}
		if err != nil {
			return nil, err
		}
		s.servers = append(s.servers, server)
		s.sums = append(s.sums, simulate.Summary{Burst: simulate.Peak{Window: burstWindow}})
	}
	s.step.Outcomes = make([]Outcome, len(specs))
	return s, nil
}

// Step sends a request, which must not come before the last one, to all models.
// If one of them never takes so much, the error is an [*EntryError], and none
// has had it.
func (s *Simulation) Step(r Request) (Step, error) {
	for _, v := range s.servers {
		if problem := v.refusesAlways(r.Cost); problem != "" {
			return Step{}, r.wrong("cost", problem)
		}
	}
	s.step.At, s.step.Cost = Seconds(r.At), r.Cost
	for i, v := range s.servers {
		verdict := v.served.Arrive(r.At, v.own(r.Cost))
		s.sums[i].Add(simulate.Step{Arrival: simulate.Arrival{At: r.At, Cost: int64(r.Cost)}, Verdict: verdict})
		s.step.Outcomes[i] = v.outcome(verdict)
	}
	return s.step, nil
}

// own is a cost in what the model counts.
func (v *server) own(cost Units) int64 { return mulDivUp(int64(cost), v.unit, int64(One)) }

func (v *server) refusesAlways(cost Units) string {
	most := Units(mulDiv(v.holds, int64(One), v.unit))
	switch {
	case v.own(cost) > v.holds:
		return fmt.Sprintf("%v is above the %v that %v ever holds", cost, most, v.spec)
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
	r := Report{First: None, Last: None, BurstWindow: Seconds(s.window), Models: make([]Result, len(s.servers))}
	for i, v := range s.servers {
		sum := &s.sums[i]
		r.Requests = sum.Allowed + sum.Refused
		if r.Requests > 0 {
			r.First, r.Last = Seconds(sum.First), Seconds(sum.Last)
		}
		r.Models[i] = Result{
			Spec:         v.spec,
			Burst:        v.holds / v.unit * v.spec.servers(),
			Allowed:      sum.Allowed,
			Refused:      sum.Refused,
			AllowedCost:  Units(sum.AllowedUnits),
			RefusedCost:  Units(sum.RefusedUnits),
			AverageRate:  sum.Rate() / float64(One),
			LargestBurst: Units(sum.LargestBurst()),
		}
	}
	return r
}

// Run sends requests to the models that the specs describe, calls each with
// every step unless it is nil, and reports. It ends with the first error, of
// the input or of each, and reports what was before it.
func Run(specs []Spec, burstWindow time.Duration, requests iter.Seq2[Request, error], each func(Step) error) (Report, error) {
	s, err := New(specs, burstWindow)
	if err != nil {
		return Report{}, err
	}
	for r, err := range requests {
		if err != nil {
			return s.Report(), err
		}
		step, err := s.Step(r)
		if err == nil && each != nil {
			err = each(step)
		}
		if err != nil {
			return s.Report(), err
		}
	}
	return s.Report(), nil
}

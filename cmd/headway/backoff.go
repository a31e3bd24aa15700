package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/cmd/headway/internal/plot"
	"github.com/headway-go/headway/cmd/headway/internal/retries"
	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

type backoffCommand struct {
	Initial     wait   `placeholder:"100ms" help:"The shortest wait, before the first retry."`
	Max         wait   `placeholder:"20s" help:"The longest wait, jitter included. It does not shorten what a server asks for."`
	Multiplier  factor `placeholder:"2" help:"How much longer each wait is than the one before."`
	Jitter      jitter `placeholder:"equal" help:"How much of a wait may be added to it at random, from 0 to 1; none is 0, equal is 1."`
	HintJitter  jitter `placeholder:"0.1" help:"The same of a Retry-After."`
	Attempts    int    `default:"4" help:"How many attempts there are in all."`
	Elapsed     span   `placeholder:"1m" help:"No wait begins that would end later than this after the start. By default there is no such bound."`
	RetryAfter  span   `placeholder:"30s" help:"Show as well what happens if the server asks for this wait each time."`
	AttemptTime span   `placeholder:"200ms" help:"How long each attempt takes, by default no time."`
	JSON        bool   `name:"json" xor:"form" help:"Write JSON."`
	CSV         bool   `name:"csv" xor:"form" help:"Write CSV, a line for each retry."`
	figureFlags
}

// Help is what kong shows below the help of the command.
func (*backoffCommand) Help() string {
	return `The schedule is that of backoff.Policy, which a transport.Transport has as well: each wait is Multiplier times the one before, lengthened at random, and never shorter than the Retry-After of the server. It is worked out for a call whose every attempt fails; nothing is sent.

For example:

	headway backoff --initial 500ms --max 30s --attempts 6 --retry-after 10s`
}

// A span is a length of time given by a flag, as 1m30s, or as 90 for seconds.
type span time.Duration

// UnmarshalText is called by kong.
func (s *span) UnmarshalText(text []byte) error {
	v, err := sim.ParseSpan(string(text))
	if err != nil || v < 0 {
		return errors.New("want a length of time, as 1m30s, or seconds")
	}
	*s = span(v)
	return nil
}

// A wait is a span above zero; zero if it was not given.
type wait span

// UnmarshalText is called by kong.
func (w *wait) UnmarshalText(text []byte) error {
	if err := (*span)(w).UnmarshalText(text); err != nil || *w == 0 {
		return errors.New("want a length of time above zero, as 1m30s, or seconds")
	}
	return nil
}

// A factor is what makes waits longer; zero if it was not given.
type factor float64

// UnmarshalText is called by kong.
func (f *factor) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(v >= 1) || math.IsInf(v, 0) {
		return errors.New("want a number from 1 up")
	}
	*f = factor(v)
	return nil
}

// A jitter is a share given by a flag; zero if it was not given.
type jitter float64

// UnmarshalText is called by kong.
func (j *jitter) UnmarshalText(text []byte) error {
	switch name := string(text); name {
	case "none":
		*j = backoff.NoJitter
	case "equal":
		*j = 1
	case "full":
		return errors.New("full jitter, from no wait at all, is not what backoff.Policy does: want none, equal, or a number from 0 to 1")
	default:
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return errors.New("want none, equal, or a number from 0 to 1")
		}
		if *j = jitter(v); v == 0 {
			*j = backoff.NoJitter
		}
	}
	return nil
}

// Validate is called by kong.
func (c *backoffCommand) Validate() error {
	if c.Attempts < 1 || c.Attempts > retries.MaxRetries+1 {
		return fmt.Errorf("--attempts: want a number from 1 to %d", retries.MaxRetries+1)
	}
	if c.Max > 0 && c.Initial > c.Max {
		return fmt.Errorf("--initial: %v is longer than --max, %v", time.Duration(c.Initial), time.Duration(c.Max))
	}
	return c.check()
}

func (c *backoffCommand) policy() backoff.Policy {
	return backoff.Policy{
		Min: time.Duration(c.Initial), Max: time.Duration(c.Max), Multiplier: float64(c.Multiplier),
		Jitter: float64(c.Jitter), HintJitter: float64(c.HintJitter),
		MaxAttempts: c.Attempts, MaxElapsed: time.Duration(c.Elapsed),
	}
}

// Run is called by kong.
func (c *backoffCommand) Run(e *env) error {
	hints := []span{0}
	if c.RetryAfter > 0 {
		hints = append(hints, c.RetryAfter)
	}
	var schedules []retries.Schedule
	for _, hint := range hints {
		s, err := retries.Plan{Policy: c.policy(), RetryAfter: time.Duration(hint), Attempt: time.Duration(c.AttemptTime)}.Schedule()
		if err != nil {
			return err
		}
		schedules = append(schedules, s)
	}
	if err := c.write(e.stdout, schedules); err != nil {
		return err
	}
	return c.draw(e, retryFigures(schedules))
}

func (c *backoffCommand) write(w io.Writer, schedules []retries.Schedule) error {
	switch {
	case c.JSON:
		return writeJSON(w, backoffJSON{resolved(c.policy()), sim.Seconds(c.AttemptTime), schedules})
	case c.CSV:
		return writeRetriesCSV(w, schedules)
	}
	fmt.Fprintln(w, describePolicy(c.policy()))
	for _, s := range schedules {
		if len(s.Retries) > 0 {
			writeSchedule(w, s)
		}
	}
	return nil
}

// describePolicy is a Policy in words.
func describePolicy(p backoff.Policy) string {
	r := resolved(p)
	if r.Attempts == 1 {
		return "1 attempt, and no retry"
	}
	text := fmt.Sprintf("%d attempts; %s before the first retry, then %v times as long each, up to %s",
		r.Attempts, length(time.Duration(r.Initial)), r.Multiplier, length(time.Duration(r.Max)))
	if r.Jitter > 0 {
		text += fmt.Sprintf("; up to %.4g %% more at random", 100*r.Jitter)
	}
	if r.Elapsed != sim.None {
		text += fmt.Sprintf("; no wait beyond %s", length(time.Duration(r.Elapsed)))
	}
	return text
}

func writeSchedule(w io.Writer, s retries.Schedule) {
	if s.RetryAfter == sim.None {
		fmt.Fprintln(w, "\nWithout Retry-After")
	} else {
		fmt.Fprintf(w, "\nWith a Retry-After of %s each time\n", length(time.Duration(s.RetryAfter)))
	}
	table(w, func(row func(...string)) {
		row("retry", "shortest wait", "mean wait", "longest wait", "earliest", "expected", "latest", "comes")
		for _, r := range s.Retries {
			cells := []string{strconv.Itoa(r.Number)}
			for _, d := range []sim.Seconds{r.Shortest, r.Mean, r.Longest, r.Earliest, r.Expected, r.Latest} {
				cells = append(cells, length(time.Duration(d)))
			}
			row(append(cells, string(r.Reached))...)
		}
	})
	fmt.Fprintf(w, "  If every attempt fails, it gives up after %s at worst", length(time.Duration(s.Worst)))
	if s.Expected != sim.None {
		fmt.Fprintf(w, ", %s on average", length(time.Duration(s.Expected)))
	}
	fmt.Fprintln(w, ".")
}

// A backoffJSON is a policy and its schedules for others to read.
type backoffJSON struct {
	Policy    policyFields       `json:"policy"`
	Attempt   sim.Seconds        `json:"attempt_seconds"`
	Schedules []retries.Schedule `json:"schedules"`
}

// policyFields are those of a backoff.Policy, with what zero stands for.
type policyFields struct {
	Initial    sim.Seconds `json:"initial_seconds"`
	Max        sim.Seconds `json:"max_seconds"`
	Multiplier float64     `json:"multiplier"`
	Jitter     float64     `json:"jitter"`
	HintJitter float64     `json:"hint_jitter"`
	Attempts   int         `json:"attempts"`
	Elapsed    sim.Seconds `json:"elapsed_seconds"` // None for no bound
}

func resolved(p backoff.Policy) policyFields {
	f := policyFields{
		Max: sim.Seconds(p.Max), Multiplier: p.Multiplier, Attempts: p.MaxAttempts, Elapsed: sim.Seconds(p.MaxElapsed),
		Jitter: retries.Jitter(p), HintJitter: retries.HintJitter(p),
	}
	initial, _ := p.Bounds(0)
	f.Initial = sim.Seconds(initial)
	if f.Max == 0 {
		f.Max = sim.Seconds(max(backoff.DefaultMax, p.Min))
	}
	if f.Multiplier == 0 {
		f.Multiplier = backoff.DefaultMultiplier
	}
	if f.Attempts == 0 {
		f.Attempts = backoff.DefaultMaxAttempts
	}
	if f.Elapsed == 0 {
		f.Elapsed = sim.None
	}
	return f
}

func writeRetriesCSV(w io.Writer, schedules []retries.Schedule) error {
	out := csv.NewWriter(w)
	row := func(cells ...string) { _ = out.Write(cells) } // Error tells
	row("retry_after", "retry", "shortest", "mean", "longest", "earliest", "expected", "latest", "reached")
	for _, s := range schedules {
		asked := ""
		if s.RetryAfter != sim.None {
			asked = s.RetryAfter.String()
		}
		for _, r := range s.Retries {
			row(asked, strconv.Itoa(r.Number), r.Shortest.String(), r.Mean.String(), r.Longest.String(),
				r.Earliest.String(), r.Expected.String(), r.Latest.String(), string(r.Reached))
		}
	}
	out.Flush()
	return out.Error()
}

// retryFigures shows when the retries begin.
func retryFigures(schedules []retries.Schedule) (figures []plot.Figure) {
	for _, s := range schedules {
		bounds := plot.Series{Name: "earliest and latest", Kind: plot.Band}
		mean := plot.Series{Name: "mean"}
		for _, r := range s.Retries {
			if r.Reached == retries.Never {
				break
			}
			n := float64(r.Number)
			bounds.X, bounds.Low = append(bounds.X, n), append(bounds.Low, time.Duration(r.Earliest).Seconds())
			bounds.Y = append(bounds.Y, time.Duration(r.Latest).Seconds())
			mean.X, mean.Y = append(mean.X, n), append(mean.Y, time.Duration(r.Expected).Seconds())
		}
		f := plot.Figure{Title: "When retries begin, without Retry-After", X: "retry", Y: "seconds", Series: []plot.Series{
			bounds, mean, {Kind: plot.Points, X: mean.X, Y: mean.Y},
		}}
		if s.RetryAfter != sim.None {
			f.Title = "When retries begin, with a Retry-After of " + length(time.Duration(s.RetryAfter))
		}
		figures = append(figures, f)
	}
	return figures
}

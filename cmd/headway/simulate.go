package main

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/plot"
	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

type simulateCommand struct {
	Bucket      string   `placeholder:"N" help:"How many tokens the bucket holds."`
	Refill      string   `placeholder:"RATE" help:"How many come back per second, as 1.5, or as 100/min."`
	Start       string   `placeholder:"N" help:"How many are there at time 0. By default the bucket is full."`
	Model       []string `short:"m" sep:"none" placeholder:"NAME" help:"Another model than a token bucket. May be repeated, and then they stand side by side; all is all of them. NAME,key=value,… gives it parameters of its own; --list shows them."`
	At          *string  `placeholder:"TIMES" help:"The request times in place of a FILE, as 0,0.1,0.2:3."`
	BurstWindow wait     `default:"1s" help:"The span within which the largest burst is looked for."`
	All         bool     `help:"Show all requests, not only the first 100. CSV has them all anyway."`
	JSON        bool     `name:"json" xor:"form" help:"Write JSON."`
	CSV         bool     `name:"csv" xor:"form" help:"Write CSV, a line for each request and model."`
	List        bool     `xor:"form" help:"Only list the models and their parameters."`
	Client      string   `help:"Of a log: whose calls; of a recording: the key of the budget. By default there must be only one."`
	figureFlags
	File string `arg:"" optional:"" default:"-" help:"Request times in seconds, one a line, time:cost where one costs more or less than 1; or a log of JSON lines, as a Transport records it; - or nothing is stdin."`
}

// Help is what kong shows below the help of the command.
func (*simulateCommand) Help() string {
	return `For example:

	headway simulate --bucket 5 --refill 1 --at 0,0.1,0.2,0.3,0.4,0.5,1.5:2

The same requests under two kinds of limit, then one limit under all of them, then one with parameters of its own:

	headway simulate --bucket 5 --refill 1 -m token-bucket -m fixed-window times.txt

	headway simulate --bucket 5 --refill 1 -m all times.txt

	headway simulate -m gcra,t=200ms,tau=2s times.txt

What a bucket of 12 would have done to the calls that a Transport has recorded:

	headway simulate --bucket 12 --refill 1 calls.jsonl

A request that is refused uses nothing up and is not sent again, unless a model has count_refused. Times must not go backward; blank lines and what follows a # are passed over. Costs and tokens have up to three decimals.`
}

// Validate is called by kong.
func (c *simulateCommand) Validate() error {
	if c.At != nil && c.File != "-" {
		return errors.New("--at: there is a FILE as well: want one of them")
	}
	return c.check()
}

// Run is called by kong.
func (c *simulateCommand) Run(e *env) error {
	if c.List {
		writeModels(e.stdout)
		return nil
	}
	setup, err := c.setup()
	if err != nil {
		return err
	}
	simulation, err := setup.New()
	if err != nil {
		return c.wrongSpec(err)
	}
	show := c.shown(simulation.Report())
	defer show.close()
	if err := c.play(e, simulation, show); err != nil {
		return err
	}
	report := simulation.Report()
	figures := curves(report)
	if err := show.finish(e.stdout, report); err != nil {
		return err
	}
	return c.draw(e, figures)
}

// setup reads the flags that describe models.
func (c *simulateCommand) setup() (sim.Setup, error) {
	setup := sim.Setup{BurstWindow: time.Duration(c.BurstWindow)}
	if c.wanted() {
		setup.Points = 4000
	}
	var base sim.Spec
	for _, flag := range []struct{ key, value string }{{"bucket", c.Bucket}, {"refill", c.Refill}, {"start", c.Start}} {
		if flag.value == "" {
			continue
		}
		if err := base.Set(flag.key, flag.value); err != nil {
			return setup, wrongFlag(err)
		}
	}
	if len(c.Model) == 0 {
		setup.Models = append(setup.Models, base)
	}
	for _, text := range c.Model {
		if text == "all" {
			setup.Models = append(setup.Models, allModels(base)...)
			continue
		}
		spec, err := sim.ParseSpec(text, base)
		if err != nil {
			return setup, c.wrongSpec(err)
		}
		setup.Models = append(setup.Models, spec)
	}
	return setup, nil
}

func allModels(base sim.Spec) (specs []sim.Spec) {
	for _, m := range sim.Models() {
		base.Model = m.Name
		specs = append(specs, base)
	}
	return specs
}

// wrongSpec names the flag that is to blame.
func (c *simulateCommand) wrongSpec(err error) error {
	wrong, ok := errors.AsType[*sim.SpecError](err)
	switch {
	case !ok:
		return fmt.Errorf("--model: %w", err)
	case wrong.Field == "model":
		return fmt.Errorf("--model: %s; --list shows them", wrong.Problem)
	case len(c.Model) == 0:
		return wrongFlag(err)
	}
	return fmt.Errorf("--model: %s: %s: %s", wrong.Model, wrong.Field, wrong.Problem)
}

// wrongFlag is for a parameter that is a flag.
func wrongFlag(err error) error {
	if wrong, ok := errors.AsType[*sim.SpecError](err); ok {
		return fmt.Errorf("--%s: %s", wrong.Field, wrong.Problem)
	}
	return err
}

// play sends the requests of the input to the simulation.
func (c *simulateCommand) play(e *env, s *sim.Simulation, show shown) error {
	requests, name, done, err := c.requests(e)
	if err != nil {
		return err
	}
	defer done()
	n := 0
	for r, err := range requests {
		var step sim.Step
		if err == nil {
			step, err = s.Step(r)
		}
		if err != nil {
			return wrongEntry(name, err)
		}
		n++
		if err := show.step(n, step); err != nil {
			return err
		}
	}
	if n == 0 {
		return &inputError{name: name, problem: "no request times: want one a line, in seconds"}
	}
	return nil
}

// requests opens the input.
func (c *simulateCommand) requests(e *env) (list iter.Seq2[sim.Request, error], name string, done func(), err error) {
	if c.At != nil {
		return sim.List(*c.At), "--at", func() {}, nil
	}
	if c.File == "-" && isTerminal(e.stdin) {
		fmt.Fprintln(e.stderr, "Request times in seconds, one a line, as 0.5 or 0.5:3 for a cost of 3; then Ctrl-D:")
	}
	file, name, err := e.open(c.File)
	if err != nil {
		return nil, name, nil, err
	}
	done = func() { file.Close() }
	input := bufio.NewReaderSize(file, 1<<16)
	if c.Client == "" && !isLog(input) {
		return sim.Read(input), name, done, nil
	}
	if list, err = c.replay(e, name, input); err != nil {
		done()
	}
	return list, name, done, err
}

// wrongEntry says where in the input something is wrong.
func wrongEntry(name string, err error) error {
	wrong, ok := errors.AsType[*sim.EntryError](err)
	if !ok {
		return unreadable(name, err)
	}
	at := &inputError{name: name, line: wrong.Line, problem: fmt.Sprintf("request %d: %s %s", wrong.Number, wrong.Field, wrong.Problem)}
	if name == "--at" {
		at.line = 0
	}
	return at
}

// curves are the figures of a report that has curves. Where times are those of a
// calendar, the axis begins with the first.
func curves(r sim.Report) (figures []plot.Figure) {
	x, from := "seconds", 0.0
	if r.First/100 > r.Last-r.First {
		x, from = fmt.Sprintf("seconds after %v", r.First), time.Duration(r.First).Seconds()
	}
	for _, m := range r.Models {
		if m.Curve == nil {
			continue
		}
		line := func(name string, kind plot.Kind, d sim.Dots) plot.Series {
			return plot.Series{Name: name, Kind: kind, X: minus(d.Time, from), Y: d.Tokens}
		}
		figures = append(figures, plot.Figure{
			Title: fmt.Sprintf("%v: %s", m.Spec, ofAll(m)),
			X:     x, Y: "tokens", Top: float64(m.Burst),
			Series: []plot.Series{
				line("tokens", plot.Line, m.Curve.Tokens),
				line("allowed", plot.Points, m.Curve.Allowed),
				line("refused", plot.Crosses, m.Curve.Refused),
			},
		})
	}
	return figures
}

func minus(values []float64, from float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = v - from
	}
	return list
}

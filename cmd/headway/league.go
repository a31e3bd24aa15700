package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/headway-go/headway/internal/league"
)

// errInterrupted is for when the user has had enough.
var errInterrupted = errors.New("interrupted")

type leagueCommand struct {
	Scenario []string `placeholder:"NAME" help:"What to play, by default all scenarios with targets. May be repeated."`
	Strategy []string `default:"headway" help:"Who plays. May be repeated."`
	Seeds    int      `default:"20" help:"How many times each is played, with other random numbers."`
	Seed     uint64   `default:"1" help:"The first of the seeds; the others follow it."`
	JSON     bool     `name:"json" xor:"form" help:"Write JSON."`
	List     bool     `xor:"form" help:"Only list the scenarios and the strategies."`
}

// Help is what kong shows below the help of the command.
func (*leagueCommand) Help() string {
	return `Servers, networks and clients are simulated, in virtual time: nothing is sent. The strategy headway is the real schedule of package throttle; those of others are written anew from what their authors published.

For example:

	headway league --scenario heroku-2x5 --strategy headway,full-jitter`
}

// maxSeeds is how many seeds are taken; a scenario takes a while for more.
const maxSeeds = 100_000

// Validate is called by kong.
func (c *leagueCommand) Validate() error {
	if c.Seeds < 1 || c.Seeds > maxSeeds {
		return fmt.Errorf("--seeds: want a number from 1 to %d", maxSeeds)
	}
	if c.Seed > math.MaxUint64-uint64(c.Seeds) {
		return errors.New("--seed: too large for so many seeds")
	}
	return nil
}

// Run is called by kong.
func (c *leagueCommand) Run(e *env) error {
	if c.List {
		writeList(e.stdout)
		return nil
	}
	scenarios, err := c.scenarios()
	if err != nil {
		return err
	}
	strategies, err := pick("--strategy", c.Strategy, league.Strategies(), strategyName)
	if err != nil {
		return err
	}
	results, err := c.play(e, scenarios, strategies)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.stdout, rows(results))
	}
	c.writeResults(e.stdout, results)
	return nil
}

func (c *leagueCommand) scenarios() ([]league.Scenario, error) {
	all := league.Scenarios()
	if len(c.Scenario) > 0 {
		return pick("--scenario", c.Scenario, all, scenarioName)
	}
	return slices.DeleteFunc(all, func(s league.Scenario) bool { return len(s.Targets) == 0 }), nil
}

func scenarioName(s league.Scenario) string { return s.Name }

func strategyName(s league.Strategy) string { return s.Name }

// A result is what a strategy achieved in a scenario.
type result struct {
	scenario league.Scenario
	row      league.Row
}

// play plays all, with a progress bar if somebody looks on.
func (c *leagueCommand) play(e *env, scenarios []league.Scenario, strategies []league.Strategy) ([]result, error) {
	ctx, stop := signal.NotifyContext(e.ctx, os.Interrupt)
	defer stop()
	seeds := make([]uint64, c.Seeds)
	for i := range seeds {
		seeds[i] = c.Seed + uint64(i)
	}
	bar := progress(e.stderr, isTerminal(e.stderr), len(scenarios)*len(strategies)*len(seeds))
	defer func() { _ = bar.Clear() }() // it is only there to be looked at
	var results []result
	for _, s := range scenarios {
		bar.Describe(s.Name)
		for _, with := range strategies {
			row, err := league.RunContext(ctx, s, with, seeds, func(int) { _ = bar.Add(1) })
			if err != nil {
				return nil, errInterrupted
			}
			results = append(results, result{s, row})
		}
	}
	return results, nil
}

// progress is a bar that is gone when it is full.
func progress(w io.Writer, visible bool, total int, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(visible),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionClearOnFinish(),
	}, more...)...)
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

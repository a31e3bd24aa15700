package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	ok         = 0
	failed     = 1 // the network did
	badRequest = 2 // the input or the flags make no sense
	stopped    = 130
)

const description = `Shows what an HTTP API says about its limits, and the schedule that follows.

For example:

	curl -sI https://api.github.com/ | headway explain`

type commands struct {
	Explain  explainCommand  `cmd:"" help:"Explain the head of a response, or a HAR file."`
	Probe    probeCommand    `cmd:"" help:"Send one request, and explain the answer."`
	Simulate simulateCommand `cmd:"" help:"Play request times against models of a limit, and show which are allowed."`
	Backoff  backoffCommand  `cmd:"" help:"Show when the retries of a policy come."`
	League   leagueCommand   `cmd:"" help:"Play client strategies against simulated servers, and compare what they achieve."`
	Proxy    proxyCommand    `cmd:"" help:"Pace what any program sends, as an HTTP proxy on this machine."`
}

// An env is what a command has of the process around it. What it writes to
// stdout comes out at its end, if it ends well.
type env struct {
	ctx    context.Context
	stdin  io.Reader
	stdout *spool
	stderr io.Writer // for what is of no use later
}

// run is main without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{ctx: ctx, stdin: stdin, stdout: new(spool), stderr: stderr}
	defer func() { _ = e.stdout.Close() }() // a temporary file, which the system clears up else
	err := e.do(args)
	if err == nil {
		_, err = e.stdout.WriteTo(stdout)
	}
	if err == nil {
		return ok
	}
	fmt.Fprintln(stderr, "headway:", printable(err.Error()))
	if _, down := errors.AsType[*networkError](err); down {
		return failed
	}
	if errors.Is(err, errInterrupted) {
		return stopped
	}
	return badRequest
}

func (e *env) do(args []string) error {
	var grammar commands
	helped := false
	parser, err := kong.New(&grammar,
		kong.Name("headway"),
		kong.Description(description),
		kong.Writers(e.stdout, e.stdout),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parser.Parse(args)
	if helped {
		return nil // it parses on after the help, and may find fault
	}
	if err != nil {
		return err
	}
	return command.Run(e)
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

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

const description = `Shows what the limit of an HTTP API is and does: explains what a server says of it, plays request times and client strategies against it, chooses a burst from a log, and tells when retries come; and calls as fast as it allows, for lists of URLs and for programs in any language.

For example:

	curl -sI https://api.github.com/ | headway explain`

type commands struct {
	Explain  explainCommand  `cmd:"" help:"Explain the head of a response, or a HAR file."`
	Probe    probeCommand    `cmd:"" help:"Send one request, and explain the answer."`
	Simulate simulateCommand `cmd:"" help:"Play request times against models of a limit, and show which are allowed."`
	Tune     tuneCommand     `cmd:"" help:"Choose the burst of a limit from access logs."`
	Backoff  backoffCommand  `cmd:"" help:"Show when the retries of a policy come."`
	Fetch    fetchCommand    `cmd:"" help:"Download a list of URLs, as fast as their servers allow."`
	League   leagueCommand   `cmd:"" help:"Play client strategies against simulated servers, and compare what they achieve."`
	Proxy    proxyCommand    `cmd:"" help:"Pace what any program sends, as an HTTP proxy on this machine."`
	Serve    serveCommand    `cmd:"" help:"Serve a page to simulate and tune limits on, or a rate-limited server to test clients against."`
}

// An env is what a command has of the process around it. What it writes to
// stdout comes out at its end, if it ends well.
type env struct {
	ctx    context.Context
	stdin  io.Reader
	stdout *spool
	live   io.Writer // stdout at once, for commands that go on until they are stopped
	stderr io.Writer // for what is of no use later
}

// run is main without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{ctx: ctx, stdin: stdin, stdout: new(spool), live: stdout, stderr: stderr}
	defer func() { _ = e.stdout.Close() }() // a temporary file, which the system clears up else
	err := e.do(args)
	_, partly := errors.AsType[*partlyError](err)
	if err == nil || partly {
		_, unwritten := e.stdout.WriteTo(stdout)
		err, partly = cmp.Or(err, unwritten), true // if there is one, not of the input
	}
	if err == nil {
		return ok
	}
	fmt.Fprintln(stderr, "headway:", printable(err.Error()))
	if errors.Is(err, errInterrupted) {
		return stopped
	}
	if _, down := errors.AsType[*networkError](err); down || partly {
		return failed
	}
	return badRequest
}

// A partlyError ends a command that did only a part of its work. What it wrote is
// shown all the same.
type partlyError struct{ err error }

func (e *partlyError) Error() string { return e.err.Error() }

func (e *partlyError) Unwrap() error { return e.err }

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
	if len(args) == 0 || args[0] == "help" {
		args = append(slices.Clone(args[min(1, len(args)):]), "--help")
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

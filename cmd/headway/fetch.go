package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/fetch"
	"github.com/headway-go/headway/transport"
)

type fetchCommand struct {
	URL         []string    `arg:"" optional:"" sep:"none" help:"What to fetch. {1..500} in it stands for each of these numbers, {001..500} for the same in three digits, {0..500..10} for every tenth. Quote it, or your shell may do that itself."`
	Input       []string    `short:"i" sep:"none" placeholder:"FILE" help:"A list, one URL a line; blank lines, and those that begin with #, are passed over. - is stdin, which is read as well if nothing else is given. May be repeated."`
	Out         string      `short:"o" xor:"to" placeholder:"FOLDER" help:"Keep the body of each answer in a file of its own there."`
	Jsonl       string      `xor:"to" placeholder:"FILE" help:"Append each answer to this file, as a line of JSON. - is stdout, where there is nothing to go on with another time."`
	Header      []string    `short:"H" sep:"none" placeholder:"NAME:VALUE" help:"A header field to send, but not to other hosts that a redirect leads to. May be repeated. $${NAME} in single quotes is that variable of the environment; @FILE has a field on each of its lines, as it is."`
	Limit       []handLimit `sep:"none" placeholder:"LIMIT" help:"A limit that nobody publishes, as 'api.test/=10/s burst 5'. May be repeated."`
	Concurrency int         `short:"c" default:"16" help:"How many calls may be under way at once on one host."`
	Attempts    int         `default:"4" help:"How often a call may be sent that is refused or fails."`
	MaxWait     span        `default:"2h" help:"The longest that a call may have to wait. If it is longer, its host is left for another time."`
	Timeout     span        `default:"30s" help:"How long a server may be silent. Waiting for a limit does not count."`
	Budget      budgetFile  `placeholder:"FILE" help:"Begin with the budgets that the last run left in this file, and leave them there. It may be shared by lists, not by runs at the same time."`
	Failed      string      `placeholder:"FILE" help:"At the end this file is the list of what was not fetched, with the causes, to be fed in again. It may be that of -i."`
	KeepErrors  bool        `help:"Keep the bodies of answers that are not 2xx as well, in FOLDER/errors, or as lines with their status. They are asked for again all the same."`
	Follow      bool        `default:"true" negatable:"" help:"Follow redirects, at most 10."`
	JSON        bool        `name:"json" help:"Write the summary as JSON."`
}

// Help is what kong shows below the help of the command.
func (*fetchCommand) Help() string {
	return `Each URL is asked for once, with GET, as soon as its server will take it: the limits that servers publish hold, and those of --limit. One slow host holds up no other. Give the same command again to go on after Ctrl-C, a crash or failures: what is there is not asked for again. A file has its name only when it is whole.

The bar is on stderr if that is a terminal; the summary is on stdout, or on stderr if the answers are there. The exit status is 0 if all is there, 1 if something failed, 2 if the input makes no sense, when nothing was sent, and 130 after Ctrl-C.

` + limitHelp + `

For example:

	headway fetch --out items -H 'Authorization: Bearer ${TOKEN}' 'https://api.test/items/{1..500}'
	headway fetch --out items -i urls.txt --failed urls.txt`
}

const maxConcurrency = 1000

// Validate is called by kong.
func (c *fetchCommand) Validate() error {
	switch {
	case c.Out == "" && c.Jsonl == "":
		return errors.New("--out FOLDER or --jsonl FILE has to say where the answers go")
	case c.Concurrency < 1 || c.Concurrency > maxConcurrency:
		return fmt.Errorf("--concurrency: want a number from 1 to %d", maxConcurrency)
	case c.Attempts < 1:
		return errors.New("--attempts: want a number above zero")
	case c.MaxWait <= 0:
		return errors.New("--max-wait: want a length of time above zero, as 10m")
	case c.Timeout <= 0:
		return errors.New("--timeout: want a length of time above zero, as 10s")
	}
	return c.apart()
}

// apart sees that no file would be written over another: answers would be lost.
func (c *fetchCommand) apart() error {
	type output struct{ flag, name string }
	outputs := []output{{"--jsonl", c.Jsonl}, {"--failed", c.Failed}, {"--budget", string(c.Budget)}}
	for i, one := range outputs {
		for _, other := range outputs[:i] {
			if one.name != "" && isSameFile(one.name, other.name) {
				return fmt.Errorf("%s: want another file than that of %s", one.flag, other.flag)
			}
		}
	}
	return nil
}

// isSameFile compares the folders as they are, for the files may not be there yet.
func isSameFile(a, b string) bool {
	if b == "" || filepath.Base(a) != filepath.Base(b) {
		return false
	}
	in, errIn := os.Stat(filepath.Dir(a))
	other, errOther := os.Stat(filepath.Dir(b))
	return errIn == nil && errOther == nil && os.SameFile(in, other)
}

// Run is called by kong.
func (c *fetchCommand) Run(e *env) error {
	ctx, stop := signal.NotifyContext(e.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait for the first
	f := &fetching{command: c, env: e}
	defer f.close()
	if err := f.begin(ctx); err != nil {
		return err
	}
	start := time.Now()
	err := f.run(ctx)
	summary := f.summary(time.Since(start))
	if problem := f.end(); err == nil {
		err = problem
	}
	if written := summary.write(f.to(), c.JSON); err == nil {
		err = written
	}
	return f.outcome(err, summary)
}

// A fetching is one run of the command.
type fetching struct {
	command   *fetchCommand
	env       *env
	plan      *fetch.Plan
	store     store
	rest      *fetch.Rest
	base      *fetch.Base
	transport *transport.Transport
	job       *fetch.Job
	events    events
}

// A store is one of package fetch.
type store interface {
	fetch.Store
	Resume(*fetch.Plan) error
	Close() error
}

// begin makes all ready, so that nothing is sent if something makes no sense.
func (f *fetching) begin(ctx context.Context) (err error) {
	c := f.command
	fields, err := f.env.readFields(c.Header)
	if err != nil {
		return fetchError(err)
	}
	request := &http.Request{Method: http.MethodGet, Header: http.Header{}}
	request.Header.Set("User-Agent", "headway-fetch")
	if err := addFields(request, fields); err != nil {
		return fetchError(err)
	}
	f.makeTransport()
	if err := f.transport.Validate(); err != nil {
		return fetchError(err)
	}
	if f.plan, err = fetch.NewPlan(); err != nil {
		return fetchError(err)
	}
	if err := f.fill(ctx); err != nil {
		return err
	}
	if err := c.Budget.restore(f.env, f.transport); err != nil {
		return err
	}
	if err := f.open(); err != nil {
		return err
	}
	f.job = &fetch.Job{
		Plan: f.plan, Store: f.store, Rest: f.rest, Request: request,
		Client:      &http.Client{Transport: f.transport, CheckRedirect: c.redirect(fields)},
		Concurrency: c.Concurrency, Timeout: time.Duration(c.Timeout), KeepErrors: c.KeepErrors,
	}
	if c.Jsonl != "" {
		f.job.MaxBody = fetch.MaxLine
	}
	return nil
}

// fetchError says of an error of no file which command it is of.
func fetchError(err error) error {
	if _, file := errors.AsType[*inputError](err); file {
		return err
	}
	return fmt.Errorf("fetch: %w", err)
}

func (f *fetching) makeTransport() {
	c := f.command
	under := http.DefaultTransport.(*http.Transport).Clone()
	under.MaxIdleConns, under.MaxIdleConnsPerHost = 0, c.Concurrency
	wait := time.Duration(c.Timeout)
	under.DialContext = (&net.Dialer{Timeout: wait}).DialContext
	under.TLSHandshakeTimeout, under.ResponseHeaderTimeout = wait, wait
	under.MaxResponseHeaderBytes = maxHeads
	f.base = &fetch.Base{Under: under}
	f.transport = &transport.Transport{
		Base: f.base, Limits: byHand(c.Limit), MaxWait: time.Duration(c.MaxWait),
		MaxAttempts: c.Attempts, MaxConcurrent: c.Concurrency, Observe: f.events.observe,
	}
}

// redirect is asked before a request is sent to where a redirect leads.
func (c *fetchCommand) redirect(fields []string) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if !c.Follow {
			return http.ErrUseLastResponse
		}
		return stripFields(req, via, fields)
	}
}

// target is what the answers go to.
func (c *fetchCommand) target() string {
	switch c.Jsonl {
	case "":
		return c.Out
	case "-":
		return "stdout"
	}
	return c.Jsonl
}

// open opens what will be written to, and passes over what is there already.
func (f *fetching) open() (err error) {
	c := f.command
	switch {
	case c.Out != "":
		f.store, err = opened(fetch.OpenFolder(c.Out))
	case c.Jsonl == "-":
		f.store = fetch.StreamLines(f.env.live)
	default:
		f.store, err = opened(fetch.OpenLines(c.Jsonl))
	}
	if err == nil {
		err = f.store.Resume(f.plan)
	}
	if err == nil {
		err = f.plan.Begin()
	}
	if err != nil {
		return inFile(c.target(), err)
	}
	if c.Failed != "" {
		if f.rest, err = fetch.NewRest(c.Failed); err != nil {
			return unreadable(c.Failed, err)
		}
	}
	return nil
}

// opened is no store if there is an error.
func opened[S store](s S, err error) (store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// inFile says in which file, and in which line of it if any, something is wrong.
func inFile(name string, err error) error {
	if at, ok := errors.AsType[*fetch.LineError](err); ok {
		return &inputError{name, at.Line, at.Problem.Error()}
	}
	return unreadable(name, err)
}

// end writes what is to outlast the run.
func (f *fetching) end() error {
	closed, rest, budgets := f.store.Close(), f.rest.End(), f.command.Budget.save(f.transport)
	f.store, f.rest = nil, nil
	switch {
	case closed != nil:
		return inFile(f.command.target(), closed)
	case rest != nil:
		return unreadable(f.command.Failed, rest)
	}
	return budgets
}

// close lets go of what begin has taken.
func (f *fetching) close() {
	f.rest.Drop()
	if f.store != nil {
		_ = f.store.Close()
	}
	if f.plan != nil {
		_ = f.plan.Close() // temporary files, which the system clears up else
	}
}

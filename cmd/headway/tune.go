package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/schollz/progressbar/v3"

	"github.com/headway-go/headway/throttle/tune"
	"github.com/headway-go/headway/throttle/tune/accesslog"
)

type tuneCommand struct {
	Limit       []string `sep:"none" placeholder:"[CLASS=]N/WINDOW" help:"The rate that is advertised to each client, by default 60/1m; with a class, for that alone. May be repeated."`
	Class       []string `sep:"none" placeholder:"CLASS[=TYPE]" help:"Calls to tell apart, and what kind of client makes them: interactive, mobile, batch, machine or login. May be repeated."`
	By          string   `default:"client" placeholder:"client|user|FIELD" help:"Who counts as one client: an address, who has logged in, or a field of JSON or CSV."`
	Gap         span     `default:"500ms" help:"How long a client may pause within a cluster of calls."`
	Percentile  float64  `default:"99" help:"Which percentile of the sizes of clusters counts."`
	CloseToZero float64  `default:"0.005" help:"The share of calls that may be rejected at a burst that is enough."`
	Candidates  []int64  `placeholder:"N" help:"Further bursts to show, each as τ/T."`
	Format      string   `default:"auto" enum:"auto,common,json,csv,har,plain" help:"How the logs are written: auto, common, json, csv, har or plain."`
	Field       []string `sep:"none" placeholder:"PART=FIELD" help:"Which field of JSON or column of CSV has the time, client, user, host, method, path, request, class, agent, status, cost, wait, attempt or dropped. May be repeated."`
	Unit        string   `placeholder:"s|ms|us|ns" help:"What times count that are bare numbers. By default their size tells."`
	Zone        string   `default:"UTC" help:"Of times that name none, as Europe/Berlin."`
	JSON        bool     `name:"json" xor:"form" help:"Write JSON."`
	CSV         bool     `name:"csv" xor:"form" help:"Write all candidates as CSV."`
	figureFlags
	Files []string `arg:"" optional:"" name:"file" help:"Logs, of which any may be packed by gzip; - or nothing is stdin."`

	options tune.Options // that the flags amount to
}

// Help is what kong shows below the help of the command.
func (*tuneCommand) Help() string {
	return `Calls of a client that follow each other within the gap are one cluster. The 99th percentile of their sizes is the burst that clients really produce; with the type of client it decides on the burst to allow. Then the calls are replayed against many bursts, which shows the smallest at which next to nothing is rejected.

For example:

	headway tune --limit 600/1m --limit '/login=5/1m' --class /login=login access.log*

Logs may be in Common or Combined Log Format, JSON lines, CSV or HAR (where each host counts as a client), what a Transport has recorded, or instants alone: "TIME [CLIENT [CLASS | METHOD PATH]]", one a line. They are put in order by their times; within a log a call may stand up to 131072 lines too late.

A class is a pattern of http.ServeMux, or the name of a class as the tables show it. Calls that none holds for are told apart by method and path, in which ids count for nothing.`
}

// Validate is called by kong.
func (c *tuneCommand) Validate() (err error) {
	if c.options, err = c.flags(); err != nil {
		return err
	}
	if err := c.options.Validate(); err != nil {
		return wrongOption(err)
	}
	return c.check()
}

// Run is called by kong.
func (c *tuneCommand) Run(e *env) error {
	report, err := c.read(e)
	if err != nil {
		return wrongLog(err)
	}
	switch {
	case c.JSON:
		err = writeJSON(e.stdout, report)
	case c.CSV:
		err = writeTuneCSV(e.stdout, report)
	default:
		c.writeReport(e.stdout, report)
	}
	if err != nil {
		return err
	}
	return c.draw(e, tuneFigures(report))
}

// read measures the logs, with a progress bar if somebody looks on.
func (c *tuneCommand) read(e *env) (*tune.Report, error) {
	ctx, stop := signal.NotifyContext(e.ctx, os.Interrupt)
	defer stop()
	logs, size, done, err := c.open(e)
	defer done()
	if err != nil {
		return nil, err
	}
	bar := progress(e.stderr, isTerminal(e.stderr) && size > 0, size)
	defer func() { _ = bar.Clear() }() // it is only there to be looked at
	bar.Describe("MiB")
	for i := range logs {
		logs[i].Reader = &watched{ctx: ctx, r: logs[i].Reader, bar: bar}
	}
	type result struct {
		report *tune.Report
		err    error
	}
	read := make(chan result, 1)
	go func() { // for a pipe may stay silent, and the user have had enough
		report, err := tune.Read(c.options, logs...)
		read <- result{report, err}
	}()
	select {
	case r := <-read:
		return r.report, r.err
	case <-ctx.Done():
		return nil, errInterrupted
	}
}

// open opens all logs. It returns their size in MiB, as far as it is known, and
// what closes them, also if there is an error.
func (c *tuneCommand) open(e *env) (logs []tune.Log, size int, done func(), err error) {
	var opened []io.Closer
	done = func() {
		for _, f := range opened {
			f.Close()
		}
	}
	files := c.Files
	if len(files) == 0 {
		files = []string{"-"}
		if isTerminal(e.stdin) {
			fmt.Fprintln(e.stderr, "A log, a call a line; then Ctrl-D:")
		}
	}
	for i, name := range files {
		if slices.Contains(files[:i], name) {
			return nil, 0, done, &inputError{name: name, problem: "it is there twice"}
		}
		f, name, err := e.open(name)
		if err != nil {
			return nil, 0, done, err
		}
		opened = append(opened, f)
		logs = append(logs, tune.Log{Name: name, Reader: f})
		if file, ok := f.(*os.File); ok {
			if info, err := file.Stat(); err == nil {
				size += int(info.Size() >> 20)
			}
		}
	}
	return logs, size, done, nil
}

// watched reads until the user has had enough, and tells how far it is.
type watched struct {
	ctx   context.Context
	r     io.Reader
	bar   *progressbar.ProgressBar
	bytes int
}

func (w *watched) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, errInterrupted
	}
	n, err := w.r.Read(p)
	if w.bytes += n; w.bytes >= 1<<20 {
		_ = w.bar.Add(w.bytes >> 20) // it is only there to be looked at
		w.bytes &= 1<<20 - 1
	}
	return n, err
}

// wrongLog says what is wrong with a log as the other commands do.
func wrongLog(err error) error {
	if errors.Is(err, errInterrupted) {
		return errInterrupted
	}
	if bad, ok := errors.AsType[*accesslog.ReadError](err); ok {
		return &inputError{bad.Name, int(bad.Line), bad.Err.Error()}
	}
	none, ok := errors.AsType[*tune.NoCallsError](err)
	if !ok {
		return err
	}
	for _, log := range none.Logs {
		if log.Bad > 0 {
			problem := fmt.Sprintf("%s; none of the %s is a call", log.First[0].Problem, plural(log.Bad, "line"))
			return &inputError{log.Name, int(log.First[0].Number), problem}
		}
	}
	return &inputError{name: none.Logs[0].Name, problem: "there are no calls in it"}
}

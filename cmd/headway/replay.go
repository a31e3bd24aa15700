package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// isLog reports whether what comes next is a recording, or another log of JSON
// lines: request times never begin like one.
func isLog(r *bufio.Reader) bool {
	start, _ := r.Peek(512) // what cannot be read is found out later
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("\x1f\x8b"))
}

// A call is what a simulation needs of a call in a log.
type call struct {
	at   time.Time
	cost int64
	line int
}

// replay returns the calls of a log as requests, the first at time 0. They are
// put in order, for which all are held in memory.
func (c *simulateCommand) replay(e *env, name string, r io.Reader) (iter.Seq2[sim.Request, error], error) {
	log, err := accesslog.NewReader(name, r, accesslog.Options{})
	if err != nil {
		return nil, wrongLog(err)
	}
	calls, missing, err := c.callsOf(name, log)
	if err != nil {
		return nil, err
	}
	if missing > 0 {
		fmt.Fprintf(e.stderr, "lines missing where the log was written: %d\n", missing)
	}
	if t := log.Tally(); t.Bad > 0 {
		fmt.Fprintf(e.stderr, "lines left out, since they cannot be read: %d; the first is %s, %s\n", t.Bad, printable(t.Where(0)), printable(t.First[0].Problem))
	}
	slices.SortStableFunc(calls, func(a, b call) int { return a.at.Compare(b.at) })
	return func(yield func(sim.Request, error) bool) {
		for i, a := range calls {
			if !yield(sim.Request{At: a.at.Sub(calls[0].at), Cost: sim.Units(a.cost) * sim.One, Number: i + 1, Line: a.line}, nil) {
				return
			}
		}
	}, nil
}

// callsOf reads the calls of the one client, or on the one budget, that was
// asked for, or that there is; and how many the log lacks, whosever they were.
func (c *simulateCommand) callsOf(name string, log *accesslog.Reader) (calls []call, missing int, err error) {
	var of []byte
	for entry, err := range accesslog.Merge([]*accesslog.Reader{log}) {
		if err != nil {
			return nil, 0, wrongLog(err)
		}
		missing += entry.Dropped
		switch {
		case entry.Repeated || c.Client != "" && c.Client != string(entry.Client):
			continue
		case len(calls) == 0:
			of = bytes.Clone(entry.Client)
		case !bytes.Equal(of, entry.Client):
			return nil, 0, &inputError{name: name, problem: fmt.Sprintf("there are calls of %q and of %q: choose one with --client", shorten(string(of), 60), shorten(string(entry.Client), 60))}
		}
		calls = append(calls, call{entry.At, entry.Cost, int(log.Line())})
	}
	if len(calls) == 0 && c.Client != "" {
		return nil, 0, &inputError{name: name, problem: fmt.Sprintf("there are no calls of %q", c.Client)}
	}
	return calls, missing, nil
}

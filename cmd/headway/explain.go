package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/headway-go/headway/headers"
)

// reading is how to read header fields, and how to show what was read.
type reading struct {
	Now       when          `placeholder:"TIME" help:"When the response came, as 2006-01-02T15:04:05Z. By default now, or what the input says."`
	ResetUnit string        `placeholder:"ms|s" help:"What a bare number in a reset field counts."`
	Window    time.Duration `placeholder:"1h" help:"The window of limits that publish none."`
	Burst     *float64      `placeholder:"N" help:"The burst of limits that publish none: so many calls may go back to back."`
	JSON      bool          `name:"json" help:"Write JSON."`
}

// A when is an instant given by a flag; zero if it was not given.
type when struct{ time.Time }

// UnmarshalText is called by kong.
func (w *when) UnmarshalText(text []byte) error {
	if err := w.Time.UnmarshalText(text); err != nil {
		return errors.New("want an instant, as 2006-01-02T15:04:05Z")
	}
	return nil
}

// Validate is called by kong, but not where a command has one of its own.
func (r *reading) Validate() error {
	if r.ResetUnit != "" && r.ResetUnit != "ms" && r.ResetUnit != "s" {
		return errors.New("--reset-unit: want ms or s")
	}
	if r.Window < 0 {
		return errors.New("--window: want a length of time above zero, as 1h")
	}
	if r.Burst != nil && !(*r.Burst >= 0 && *r.Burst <= math.MaxInt32) {
		return errors.New("--burst: want a number that is not negative")
	}
	return nil
}

func (r *reading) overrides() headers.Overrides {
	o := headers.Overrides{Window: r.Window}
	switch r.ResetUnit {
	case "ms":
		o.ResetUnit = time.Millisecond
	case "s":
		o.ResetUnit = time.Second
	}
	if r.Burst != nil {
		o.Burst = headers.Some(*r.Burst)
	}
	return o
}

// at is when a response came of which the input may say so.
func (r *reading) at(said time.Time) time.Time {
	switch {
	case !r.Now.IsZero():
		return r.Now.Time
	case !said.IsZero():
		return said
	}
	return time.Now()
}

// show writes one explanation.
func (r *reading) show(w io.Writer, x *explanation) error {
	if r.JSON {
		return writeJSON(w, x.toJSON())
	}
	x.writeText(w)
	return nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

type explainCommand struct {
	reading
	Status int    `placeholder:"429" help:"The status of a response without a status line."`
	Batch  bool   `help:"Read a JSON array of responses, and write what each publishes as JSON."`
	File   string `arg:"" optional:"" default:"-" help:"What to read; - or nothing is stdin."`
}

// Help is what kong shows below the help of the command.
func (*explainCommand) Help() string {
	return `The input is the head of a response as curl -i or curl -sD- prints it, with or without the status line; of several heads the last counts, and a body is not read. Or it is a HAR file, as browsers save it: of each host, the last response that publishes something is explained.

For example:

	curl -sI https://api.github.com/ | headway explain

What reads as an instant is compared with the Date field of the response if there is one, else with --now.

With --batch the input is [{"id", "now", "headers": [["Name", "value"], …]}, …].

A head may have 1 MiB, and a line of it 64 KiB; a file in JSON 128 MiB.`
}

// Validate is called by kong.
func (c *explainCommand) Validate() error {
	if c.Status != 0 && (c.Status < 100 || c.Status > 999) {
		return errors.New("--status: want a number of three digits")
	}
	return c.reading.Validate()
}

// Run is called by kong.
func (c *explainCommand) Run(e *env) error {
	file, name, err := e.open(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, maxLine)
	switch first := firstByte(r); {
	case c.Batch:
		return c.batch(e, newJSONReader(r, name))
	case first == '{':
		return c.har(e, newJSONReader(r, name))
	case first == '[':
		return &inputError{name, 1, "a JSON array: --batch reads those"}
	}
	heads, err := readHeads(r)
	if bad, ok := errors.AsType[*lineError](err); ok {
		return &inputError{name, bad.line, bad.problem}
	}
	if err != nil {
		return unreadable(name, err)
	}
	return c.show(e.stdout, c.explain(name, heads))
}

// firstByte is the first byte that is no white space, as far as one can see.
func firstByte(r *bufio.Reader) byte {
	for n := 1; n <= 1024; n++ {
		seen, err := r.Peek(n)
		if err != nil {
			return 0
		}
		if !unicode.IsSpace(rune(seen[n-1])) {
			return seen[n-1]
		}
	}
	return 0
}

func (c *explainCommand) explain(name string, heads []head) *explanation {
	last := heads[len(heads)-1]
	status := last.status
	var notes []string
	if status == 0 {
		status = c.Status
	}
	if status == 0 {
		notes = append(notes, "Without a status it is taken for no refusal; --status=429 says that it is one.")
	}
	if n := len(heads) - 1; n > 0 {
		var passed []string
		for _, h := range heads[:n] {
			passed = append(passed, fmt.Sprint(h.status))
		}
		notes = append(notes, "The last of "+fmt.Sprint(len(heads))+" heads; before it: "+shorten(strings.Join(passed, ", "), 60)+".")
	}
	x := explain(last.header, status, c.at(time.Time{}), c.overrides())
	x.source, x.notes = name, notes
	return x
}

func (c *explainCommand) har(e *env, j *jsonReader) error {
	hosts, entries, err := readHAR(j)
	if err != nil {
		return err
	}
	all, texts := []explanationJSON{}, new(bytes.Buffer)
	for _, h := range hosts {
		if h.publishing == 0 {
			continue
		}
		x := explain(h.last.header(), h.last.Response.Status, c.at(h.last.ended()), c.overrides())
		x.source, x.har = plainURL(h.last.Request.URL), h
		x.notes = []string{fmt.Sprintf("Entry %d: the last of %d that publish something, of %d answers of %s.",
			h.number, h.publishing, h.responses, shorten(h.name, 80))}
		all = append(all, x.toJSON())
		if texts.Len() > 0 {
			fmt.Fprintln(texts)
		}
		x.writeText(texts)
	}
	switch {
	case c.JSON:
		return writeJSON(e.stdout, all)
	case len(all) == 0:
		fmt.Fprintf(e.stdout, "%s: %d entries, and none publishes a limit\n", printable(j.name), entries)
	}
	_, err = texts.WriteTo(e.stdout)
	return err
}

func (c *explainCommand) batch(e *env, j *jsonReader) error {
	now := func(said *time.Time) time.Time {
		if said == nil {
			said = new(time.Time)
		}
		if !said.IsZero() {
			return *said
		}
		return c.at(*said)
	}
	results, err := readBatch(j, now, c.overrides())
	if err != nil {
		return err
	}
	return writeJSON(e.stdout, results)
}

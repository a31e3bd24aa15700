package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/transport"
)

// writeText writes the explanation for people to read.
func (e *explanation) writeText(w io.Writer) {
	fmt.Fprintln(w, e.title())
	for _, note := range e.notes {
		fmt.Fprintln(w, "  "+note)
	}
	e.writePublished(w)
	e.writeFields(w)
	e.writeIgnored(w)
	e.writeSchedule(w)
}

func (e *explanation) title() string {
	status := "no status line"
	if e.status != 0 {
		status = "status " + strconv.Itoa(e.status)
	}
	return fmt.Sprintf("%s: %s, as of %s", printable(e.source), status, instant(e.now))
}

func instant(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }

func table(w io.Writer, rows func(row func(cells ...string))) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows(func(cells ...string) {
		fmt.Fprintln(tab, "  "+strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	})
	_ = tab.Flush() // to memory
}

func (e *explanation) writePublished(w io.Writer) {
	fmt.Fprintln(w, "\nPublished")
	if len(e.report.Policies) > 0 {
		table(w, func(row func(...string)) {
			row("policy", "limit", "window", "burst", "remaining", "reset", "unit", "cost", "kind", "dialect")
			for _, p := range e.report.Policies {
				row(label(p), number(p.Limit), lengthOr(p.Window, "-"), number(p.Burst), number(p.Remaining),
					optLength(p.Reset), shorten(p.Unit, 24), number(p.Cost), p.Kind.String(), p.Dialect)
			}
		})
	} else {
		fmt.Fprintln(w, "  no limit")
	}
	switch retry := e.report.RetryAfter; {
	case !retry.OK:
		fmt.Fprintln(w, "  Retry-After: -")
	case e.refused:
		fmt.Fprintf(w, "  Retry-After: %s\n", length(retry.V))
	default:
		fmt.Fprintf(w, "  Retry-After: %s, but the response is no refusal: only 429, and 503 with Retry-After, are\n", length(retry.V))
	}
}

func label(p headers.Policy) string {
	name := p.Name
	if name == "" {
		name = "(no name)"
	}
	if p.PartitionKey != "" {
		name += " of " + strconv.Quote(p.PartitionKey)
	}
	return shorten(name, 40)
}

func (e *explanation) writeFields(w io.Writer) {
	fmt.Fprintln(w, "\nRead")
	if !e.anyField(func(f headers.Field) bool { return f.Ignored == "" }) {
		fmt.Fprintln(w, "  no header field")
		return
	}
	table(w, func(row func(...string)) {
		for _, f := range e.report.Fields {
			if f.Ignored == "" {
				row(f.Name+": "+shorten(f.Value, 48), f.Role, shorten(f.Read, 32))
			}
		}
	})
}

func (e *explanation) writeIgnored(w io.Writer) {
	ignored := func(f headers.Field) bool { return f.Ignored != "" }
	if !e.anyField(ignored) {
		return
	}
	fmt.Fprintln(w, "\nIgnored")
	table(w, func(row func(...string)) {
		for _, f := range e.report.Fields {
			if ignored(f) {
				row(f.Name+": "+shorten(f.Value, 48), printable(f.Ignored))
			}
		}
	})
}

func (e *explanation) anyField(is func(headers.Field) bool) bool {
	return slices.ContainsFunc(e.report.Fields, is)
}

func (e *explanation) writeSchedule(w io.Writer) {
	fmt.Fprintln(w, "\nSchedule")
	e.writeLimits(w)
	for _, p := range e.report.Policies {
		if why := e.noPace(p); why != "" {
			fmt.Fprintf(w, "  %s gives no pace: %s\n", label(p), why)
		}
	}
	if e.refused {
		fmt.Fprintf(w, "  refused: nobody calls for %s, and up to a tenth more at random\n", length(e.coolDown))
	}
	fmt.Fprintf(w, "  next call: %s\n", e.nextCall())
	fmt.Fprintf(w, "  %d calls: %s\n", manyCalls, e.allCalls())
}

func (e *explanation) writeLimits(w io.Writer) {
	if len(e.limits) == 0 {
		fmt.Fprintln(w, "  no limit follows: calls go as they come")
		return
	}
	table(w, func(row func(...string)) {
		row("policy", "rate", "burst", "T", "τ", "follows from")
		for _, l := range e.limits {
			row(label(l.policy), l.rate(), strconv.Itoa(l.Burst), length(l.interval()), l.showTolerance(), l.why())
		}
	})
	fmt.Fprintln(w, "  A burst of B is B calls back to back from rest, then one each T; τ = (B−1)·T.")
}

// rate is in the unit of time that has a few calls.
func (l *limit) rate() string {
	r, unit := float64(l.Rate), "/s"
	switch {
	case r > 1e9:
		return "no limit"
	case r < 0.1/60:
		r, unit = r*3600, "/h"
	case r < 0.1:
		r, unit = r*60, "/min"
	}
	if r >= 1000 {
		return strconv.FormatFloat(r, 'f', 0, 64) + unit
	}
	return strconv.FormatFloat(r, 'g', 4, 64) + unit
}

func (l *limit) showTolerance() string {
	if m := l.margin(); m > 0 {
		return length(l.tolerance()) + ", " + length(m) + " kept back"
	}
	return length(l.tolerance())
}

func (l *limit) why() string {
	switch l.basis {
	case fromBucket:
		return "its rate and burst"
	case fromWindow:
		return fmt.Sprintf("no more than %s in any %s", number(l.policy.Limit), length(l.policy.Window))
	}
	return fmt.Sprintf("no more than %s until the reset", number(l.policy.Remaining))
}

// noPace says why no limit follows from a policy, or is empty.
func (e *explanation) noPace(p headers.Policy) string {
	if p.Unit != "requests" {
		return "it counts " + shorten(p.Unit, 24) + ", not calls"
	}
	for _, l := range e.limits {
		if l.policy == p {
			return ""
		}
	}
	if p.Limit.OK && p.Window > 0 {
		return "there is no rule for less than one call in its window"
	}
	return "it takes a limit and its window, or what remains and the reset"
}

func (e *explanation) nextCall() string {
	if len(e.calls) == 0 {
		return "unknown: " + e.unknown
	}
	wait := e.calls[0]
	if wait <= 0 {
		return "at once"
	}
	text := fmt.Sprintf("in %s, at %s", length(wait), instant(e.now.Add(wait)))
	if wait > transport.DefaultMaxWait {
		text += fmt.Sprintf(" (a Transport refuses to wait for longer than its MaxWait, by default %s)", length(transport.DefaultMaxWait))
	}
	return text
}

func (e *explanation) allCalls() string {
	n := len(e.calls)
	switch {
	case n == 0:
		return "unknown"
	case n < manyCalls:
		return fmt.Sprintf("%d of them take %s; %s", n, length(e.calls[n-1]), e.unknown)
	case e.calls[n-1] <= 0:
		return "all at once"
	}
	return fmt.Sprintf("the last goes in %s, if each is answered at once, and nobody else calls", length(e.calls[n-1]))
}

func number(v headers.Opt[float64]) string {
	if !v.OK {
		return "-"
	}
	return strconv.FormatFloat(v.V, 'f', -1, 64)
}

func optLength(d headers.Opt[time.Duration]) string {
	if !d.OK {
		return "-"
	}
	return length(d.V)
}

func lengthOr(d time.Duration, none string) string {
	if d == 0 {
		return none
	}
	return length(d)
}

// length is a duration in four or so digits.
func length(d time.Duration) string {
	if d < time.Second {
		digits := time.Duration(math.Pow10(len(strconv.FormatInt(int64(d), 10))-1)) / 1000
		return d.Round(max(1, digits)).String()
	}
	round := 10 * time.Millisecond
	if d >= time.Hour {
		round = time.Second
	}
	text := d.Round(round).String()
	if whole, ok := strings.CutSuffix(text, "m0s"); ok {
		text = whole + "m"
	}
	if whole, ok := strings.CutSuffix(text, "h0m"); ok {
		text = whole + "h"
	}
	return text
}

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/limited"
	"github.com/headway-go/headway/throttle/simulate"
)

// writeCall writes what became of one call, on one line.
func writeCall(w io.Writer, c limited.Call) {
	became := fmt.Sprintf("%d left", int64(c.Left))
	switch {
	case c.RetryAt == simulate.Never:
		became = "never"
	case !c.Admitted:
		became = "again in " + length(c.RetryAt-c.At)
	}
	fmt.Fprintf(w, "%s  %d  %s %s  %s\n", c.Time.Format("15:04:05.000"), c.Status, printable(c.Method), shorten(c.Path, 60), became)
}

// showCount keeps a count of the calls on the last line of a terminal, until the
// context ends.
func showCount(ctx context.Context, w io.Writer, h *limited.Handler) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	shown := int64(-1)
	for {
		sum := h.Summary()
		if calls := sum.Allowed + sum.Refused; calls != shown {
			fmt.Fprintf(w, "\r%s, %d refused", countOf(calls), sum.Refused)
			shown = calls
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			fmt.Fprint(w, "\r"+strings.Repeat(" ", 60)+"\r")
			return
		}
	}
}

// writeSummary writes what became of all calls.
func writeSummary(w io.Writer, sum simulate.Summary) {
	calls := sum.Allowed + sum.Refused
	if calls == 0 {
		fmt.Fprintln(w, "No call came.")
		return
	}
	fmt.Fprintf(w, "%s in %s: %d admitted, %d refused (%.3g %%).\n",
		countOf(calls), length(sum.Last-sum.First), sum.Allowed, sum.Refused, 100*float64(sum.Refused)/float64(calls))
	if sum.Last-sum.First >= time.Second { // of less, an average says nothing
		fmt.Fprintf(w, "%.4g admitted a second on average, at most %d within a second.\n", sum.Rate(), sum.LargestBurst())
	}
}

func countOf(calls int64) string {
	if calls == 1 {
		return "1 call"
	}
	return strconv.FormatInt(calls, 10) + " calls"
}

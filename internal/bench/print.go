package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

func writeList(w io.Writer, list []row) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range list {
		fmt.Fprintf(tab, "%s\t%s\n", r.name, r.about)
	}
	_ = tab.Flush() // the next write will tell
}

// print writes a row for people to read.
func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s\n", r.Name, r.Unit)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range r.lines() {
		fmt.Fprintln(tab, strings.Join(line, "\t")+"\t")
	}
	_ = tab.Flush()
	if text, _ := r.verdict(); len(r.Goals) > 0 {
		fmt.Fprintf(w, "  aim: %s\n", text)
	}
	fmt.Fprintln(w)
}

// lines are the cells of the table of a row, the head first.
func (r *result) lines() [][]string {
	peak := false
	for _, f := range r.Contenders {
		peak = peak || f.Peak > 0
	}
	head := []string{"", "median", "spread", "× floor", "× best peer", "bytes", "allocs"}
	if peak {
		head = append(head, "heap peak")
	}
	lines := [][]string{head}
	for _, f := range r.Contenders {
		spread := fmt.Sprintf("%.0f %%", 100*(f.High-f.Low)/f.Median)
		line := []string{f.Name, figure(f.Median), spread, ratio(f.ToFloor), ratio(f.ToPeer), bytesText(f.Bytes), figure(f.Allocs)}
		if peak {
			line = append(line, bytesText(f.Peak))
		}
		lines = append(lines, line)
	}
	return lines
}

// figure is a number with three digits that count, and thousands set apart.
func figure(v float64) string {
	switch abs := math.Abs(v); {
	case abs >= 1000:
		return thousands(int(math.Round(v)))
	case abs >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case abs >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case abs < 0.005:
		return "0"
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// ratio is empty where there is nothing to compare with.
func ratio(v float64) string {
	if v == 0 {
		return ""
	}
	return figure(v)
}

func bytesText(v float64) string {
	switch {
	case math.Abs(v) >= 1<<20:
		return figure(v/(1<<20)) + " MiB"
	case math.Abs(v) >= 10<<10:
		return figure(v/(1<<10)) + " KiB"
	}
	return figure(math.Round(v))
}

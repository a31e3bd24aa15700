package main

import (
	"fmt"
	"io"
	"math"
	"slices"
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

// lines are the cells of the table of a row, the head first, without columns in
// which nothing stands.
func (r *result) lines() [][]string {
	lines := [][]string{{"", "median", "spread", "× floor", "× best peer", "bytes", "allocs", "heap peak"}}
	for _, f := range r.Contenders {
		spread := ""
		if r.Rounds > 1 {
			spread = fmt.Sprintf("%.0f %%", 100*(f.High-f.Low)/f.Median)
		}
		lines = append(lines, []string{
			f.Name, figure(f.Median), spread, ratio(f.ToFloor), ratio(f.ToPeer),
			bytesText(float64(f.Bytes)), figure(float64(f.Allocs)), bytesText(float64(f.Peak)),
		})
	}
	for column := len(lines[0]) - 1; column > 0; column-- {
		if !slices.ContainsFunc(lines[1:], func(line []string) bool { return line[column] != "" }) {
			for i := range lines {
				lines[i] = slices.Delete(lines[i], column, column+1)
			}
		}
	}
	return lines
}

// figure is a number with three digits that count, and thousands set apart;
// nothing for NaN.
func figure(v float64) string {
	switch abs := math.Abs(v); {
	case math.IsNaN(v):
		return ""
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

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// writeModels writes the models there are for people to read.
func writeModels(w io.Writer) {
	fmt.Fprintln(w, "Models, for --model NAME,key=value,…")
	table(w, func(row func(...string)) {
		row("name", "keys", "what it does")
		for _, m := range sim.Models() {
			row(m.Name, strings.Join(m.Keys, ", "), m.About)
		}
	})
	fmt.Fprintln(w, "\nKeys")
	table(w, func(row func(...string)) {
		for _, k := range [][2]string{
			{"bucket, refill", "as the flags, which hold for all models that do not give their own"},
			{"t, tau", "T and τ; by default 1/refill and (bucket − 1)·T"},
			{"limit, window", "so many in so long; by default bucket, and limit/refill"},
			{"tick", "from one refill to the next; by default one token at a time"},
			{"start", "of all models: what is there at time 0; by default all"},
			{"servers", "of all models: so many share the limit, taken in turn, and each has its part"},
			{"count_refused", "of all models: refused calls use up tokens as well"},
		} {
			row(k[0], k[1])
		}
	})
	fmt.Fprintln(w, "\nSpans are seconds, or as 500ms; a refill is per second, or as 100/min.")
}

// writeHeadline writes how many of all were allowed, and under which limit.
func writeHeadline(w io.Writer, r sim.Report) {
	if len(r.Models) == 1 {
		m := r.Models[0]
		fmt.Fprintf(w, "%s\n%v: %s\n", ofAll(m), m.Spec, burst(m))
		return
	}
	if r.Requests == 1 {
		fmt.Fprintf(w, "1 request, at %v s\n\n", r.First)
	} else {
		fmt.Fprintf(w, "%d requests, from %v s to %v s\n\n", r.Requests, r.First, r.Last)
	}
	table(w, func(row func(...string)) {
		row("", "model", "allowed", "refused", "average rate", "largest burst", "burst")
		for i, m := range r.Models {
			row(strconv.Itoa(i+1), m.Spec.String(), strconv.FormatInt(m.Allowed, 10), strconv.FormatInt(m.Refused, 10),
				average(r, m), m.LargestBurst.String(), strconv.FormatInt(m.Burst, 10))
		}
	})
}

// ofAll is the headline of a model.
func ofAll(m sim.Result) string {
	text := fmt.Sprintf("%d of %d requests allowed", m.Allowed, m.Allowed+m.Refused)
	if cost := m.AllowedCost + m.RefusedCost; cost != sim.Units(m.Allowed+m.Refused)*sim.One {
		text += fmt.Sprintf(", %v of a cost of %v", m.AllowedCost, cost)
	}
	return text
}

// burst says which burst is meant.
func burst(m sim.Result) string {
	text := fmt.Sprintf("burst %d, the calls that go back to back from rest", m.Burst)
	switch m.Spec.Name() {
	case "token-bucket", "leaky-bucket", "gcra":
		if m.Spec.Servers > 1 {
			return text
		}
		return text + fmt.Sprintf(" (where τ/T is called the burst: %d)", m.Burst-1)
	case "fixed-window":
		return text + fmt.Sprintf("; up to %d around the end of a window", 2*m.Burst)
	}
	return text
}

func average(r sim.Report, m sim.Result) string {
	if r.Last == r.First {
		return "-"
	}
	return strconv.FormatFloat(m.AverageRate, 'g', 4, 64) + "/s"
}

// writeSums writes what stands below the steps.
func writeSums(w io.Writer, r sim.Report) {
	if len(r.Models) > 1 {
		fmt.Fprintf(w, "Average rate: what was allowed, from the first request to the last.\n"+
			"Largest burst: the most that was allowed within %v s.\n"+
			"Burst: the calls that go back to back from rest, 1 + τ/T; where τ/T is called the burst, it is one less.\n", r.BurstWindow)
		return
	}
	m := r.Models[0]
	if r.Last > r.First {
		fmt.Fprintf(w, "average rate: %s allowed, from %v s to %v s\n", average(r, m), r.First, r.Last)
	} else {
		fmt.Fprintln(w, "average rate: none, for all came at once")
	}
	fmt.Fprintf(w, "largest burst: %v allowed within %v s\n", m.LargestBurst, r.BurstWindow)
}

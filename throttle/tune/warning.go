package tune

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Warning is what somebody should know who acts on a Report.
type Warning struct {
	Kind    string   `json:"kind"`    // what it is about, in one word or two
	Classes []string `json:"classes"` // that it holds for; empty if it is about all calls
	Text    string   `json:"text"`
}

// warnings returns what there is to warn of, first of the limit and then of the
// log.
func (t *Tuner) warnings(r *Report) []Warning {
	all := []Warning{}
	add := func(kind, format string, a ...any) {
		all = append(all, Warning{Kind: kind, Classes: []string{}, Text: fmt.Sprintf(format, a...)})
	}
	all = append(all, r.tolerance()...)
	if text := r.rate(); text != "" {
		add("rate", "%s", text)
	}
	if text := r.mean(); text != "" {
		add("mean", "%s", text)
	}
	if w, unlike := r.unlike(); unlike {
		all = append(all, w)
	}
	if r.NumLoops > 0 {
		add("loop", "%s: a tolerance that lets such calls pass would hide it, so bursts are chosen without them", r.loop())
	}
	t.aboutLog(r, add)
	return all
}

// tolerance is about bursts that are too large for the window.
func (r *Report) tolerance() []Warning {
	var above, half []Class
	for _, c := range append([]Class{r.All}, r.Classes...) {
		switch {
		case c.Advised.Share >= 1:
			above = append(above, c)
		case c.Advised.Share > 0.5:
			half = append(half, c)
		}
	}
	var all []Warning
	for _, w := range []struct {
		kind    string
		classes []Class
		what    string
	}{
		{"above window", above, "is not below the window of %v: within one window the rate binds nobody; take a smaller burst or a longer window"},
		{"above half", half, "is above half of the window of %v: much of a window's calls may go at once"},
	} {
		if len(w.classes) > 0 {
			first := w.classes[0]
			text := fmt.Sprintf("τ = %s "+w.what, short(time.Duration(first.Advised.Tolerance)), short(first.Limit.Window))
			all = append(all, Warning{w.kind, names(w.classes), text})
		}
	}
	return all
}

func names(classes []Class) (names []string) {
	for _, c := range classes {
		names = append(names, c.Name)
	}
	return names
}

// rate is about clients that call more than any burst could let through.
func (r *Report) rate() string {
	if r.All.Enough != nil {
		return ""
	}
	last := r.All.Candidates[len(r.All.Candidates)-1]
	return fmt.Sprintf("even at τ/T = %d %s of the calls are rejected: clients call more than %v, and no burst mends that",
		last.TauOverT, percent(last.OtherRate), r.All.Limit)
}

// mean is about how wrong a burst would be that goes by the mean.
func (r *Report) mean() string {
	c := r.All.Clusters
	b := int64(c.Mean + 0.5)
	if at := r.All.At(b); b < c.Percentile && at.OtherRate > r.CloseToZero {
		return fmt.Sprintf("do not go by the mean: a cluster has %.1f calls on average, but sized so, τ/T = %d, %s of the calls would be rejected",
			c.Mean, b, percent(at.Rate))
	}
	return ""
}

// unlike is about one tolerance for classes that need very different ones.
func (r *Report) unlike() (Warning, bool) {
	var low, high *Class
	for i := range r.Classes {
		c := &r.Classes[i]
		if c.Type != Login && c.Calls < r.Calls/100 {
			continue // too few for it to matter
		}
		if low == nil || c.Advised.TauOverT < low.Advised.TauOverT || c.Advised.TauOverT == low.Advised.TauOverT && c.Type == Login {
			low = c
		}
		if high == nil || c.Advised.TauOverT > high.Advised.TauOverT {
			high = c
		}
	}
	if low == nil || !areUnlike(low, high) {
		return Warning{}, false
	}
	text := fmt.Sprintf("one tolerance for all is wrong for some: τ/T is to be %d for %s, and %d for %s",
		low.Advised.TauOverT, low.Name, high.Advised.TauOverT, high.Name)
	return Warning{"unlike classes", []string{low.Name, high.Name}, text}, true
}

// areUnlike is stricter where too much of a tolerance does harm.
func areUnlike(low, high *Class) bool {
	from, to := low.Advised.TauOverT, high.Advised.TauOverT
	return low.Type == Login && to >= from+3 || to >= from+5 && to >= 4*from
}

func (r *Report) loop() string {
	first := r.Loops[0]
	text := fmt.Sprintf("%q looks like a runaway loop (%s)", first.Client, first.Why)
	if r.NumLoops > 1 {
		text = fmt.Sprintf("%d clients look like runaway loops, most of all %q (%s)", r.NumLoops, first.Client, first.Why)
	}
	return text
}

// almostAWeek allows for quiet hours at both ends.
const almostAWeek = 6 * 24 * time.Hour

// aboutLog is about what the log cannot tell.
func (t *Tuner) aboutLog(r *Report, add func(kind, format string, a ...any)) {
	s := &t.seen
	if span := r.To.Sub(r.From); span < almostAWeek {
		add("short log", "the log covers %s: a week, its weekend included, tells more", short(span.Round(time.Second)))
	}
	if n := r.All.Clusters.Count; n < 100 {
		add("few clusters", "too few clusters (%d) for a high percentile to be other than the largest", n)
	}
	if 2*s.vague > r.Calls {
		add("whole seconds", "the log has whole seconds: what comes within one is one cluster, and what is cut by its end is two; milliseconds tell more")
	}
	if s.refused > 0 {
		add("already refused", "%s got a 429 at the time: those that came again make bursts look larger", calls(s.refused))
	}
	if s.repeated > 0 {
		add("repeated", "left out: %s made again because of an answer", calls(s.repeated))
	}
	if s.missing > 0 {
		add("missing", "%d lines are missing where the log was written: bursts may have been larger", s.missing)
	}
	if s.nameless > 0 {
		add("no client", "without the name of a client, and counted as those of one: %s", calls(s.nameless))
	}
	if s.leftOut > 0 {
		add("left out", "left out: %s of clients beyond the first %d", calls(s.leftOut), t.options.MaxClients)
	}
	if r.Late > 0 {
		add("late", "left out: %s that stood in the log behind %d or more later ones", calls(r.Late), t.options.Held/2)
	}
	if unmatched := t.unmatched(); len(unmatched) > 0 {
		add("no match", "no call matches %s", strings.Join(unmatched, ", "))
	}
}

func calls(n int64) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// unmatched returns the rules that no call has come by.
func (t *Tuner) unmatched() (patterns []string) {
	for pattern := range t.routes.rules {
		if t.byName[pattern] == nil && pattern != AllCalls {
			patterns = append(patterns, pattern)
		}
	}
	slices.Sort(patterns)
	return patterns
}

package main

import (
	"fmt"
	"io"
	"strconv"
	"time"
)

// A fetchSummary is what became of a list, and how.
type fetchSummary struct {
	Listed   int64        `json:"listed"`
	Fetched  int64        `json:"fetched"`
	Here     int64        `json:"already_there"`
	Repeated int64        `json:"repeated"`
	Failed   int64        `json:"failed"`
	NotTried int64        `json:"not_tried"`
	Bytes    int64        `json:"bytes"`
	Seconds  float64      `json:"seconds"`
	Sent     int64        `json:"requests_sent"`
	Refused  int64        `json:"refused_by_server"`
	Again    int64        `json:"sent_again"`
	Longest  float64      `json:"longest_wait_seconds"`
	Causes   []fetchCause `json:"causes"`
}

type fetchCause struct {
	Text     string   `json:"cause"`
	Count    int64    `json:"count"`
	Examples []string `json:"examples"`
}

func (f *fetching) summary(took time.Duration) *fetchSummary {
	plan, tally, events := f.plan, f.job.Tally(), f.events.now()
	s := &fetchSummary{
		Listed: plan.Listed, Fetched: tally.Fetched, Here: plan.Here, Repeated: plan.Repeated,
		Failed: tally.Failed, NotTried: plan.Left() - tally.Fetched - tally.Failed,
		Bytes: tally.Bytes, Seconds: took.Seconds(),
		Sent: f.base.Sent(), Refused: events.refused, Again: events.again, Longest: events.longest.Seconds(),
		Causes: []fetchCause{},
	}
	for _, c := range tally.Causes {
		s.Causes = append(s.Causes, fetchCause(c))
	}
	return s
}

// to is where the summary goes.
func (f *fetching) to() io.Writer {
	if f.command.Jsonl == "-" {
		return f.env.stderr
	}
	return f.env.stdout
}

func (s *fetchSummary) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, s)
	}
	s.writeText(w)
	return nil
}

func (s *fetchSummary) writeText(w io.Writer) {
	fmt.Fprintf(w, "%d of %s fetched in %s", s.Fetched, several(s.Listed, "URL"), length(time.Duration(s.Seconds*1e9)))
	if s.Seconds > 0 && s.Fetched > 0 {
		fmt.Fprintf(w, ", %s a second", perSecond(float64(s.Fetched)/s.Seconds))
	}
	fmt.Fprintln(w)
	for _, part := range []struct {
		n    int64
		text string
	}{
		{s.Here, "there already"},
		{s.Repeated, "repeated in the list"},
		{s.Failed, "failed"},
		{s.NotTried, "not tried, or cut off"},
	} {
		if part.n > 0 {
			fmt.Fprintf(w, "  %d %s\n", part.n, part.text)
		}
	}
	if s.Sent > 0 {
		fmt.Fprintf(w, "  %s sent, %d refused by servers, %d sent again; the longest wait for a limit was %s\n",
			several(s.Sent, "request"), s.Refused, s.Again, length(time.Duration(s.Longest*1e9)))
	}
	s.writeCauses(w)
}

func perSecond(rate float64) string {
	if rate >= 100 {
		return strconv.FormatFloat(rate, 'f', 0, 64)
	}
	return strconv.FormatFloat(rate, 'g', 3, 64)
}

// shownCauses is how many there are in the text.
const shownCauses = 10

func (s *fetchSummary) writeCauses(w io.Writer) {
	if len(s.Causes) == 0 {
		return
	}
	fmt.Fprintln(w, "\nFailed")
	for i, c := range s.Causes {
		if i == shownCauses {
			fmt.Fprintf(w, "  and %s more; --json has them\n", several(int64(len(s.Causes)-i), "cause"))
			break
		}
		fmt.Fprintf(w, "  %d: %s\n", c.Count, shorten(c.Text, 160))
		for _, example := range c.Examples {
			fmt.Fprintf(w, "    %s\n", shorten(example, 120))
		}
	}
}

func several(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// outcome is the error to end with, if any.
func (f *fetching) outcome(err error, s *fetchSummary) error {
	switch {
	case err == nil && s.Failed == 0:
		return nil
	case err == nil:
		err = fmt.Errorf("%d of %s failed", s.Failed, several(s.Listed, "URL"))
	}
	if f.command.Failed != "" {
		err = fmt.Errorf("%w; %s lists what is left", err, f.command.Failed)
	}
	if f.command.Jsonl != "-" {
		err = fmt.Errorf("%w; the same command goes on", err)
	}
	return &partlyError{err}
}

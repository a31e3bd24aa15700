package tune

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// A Report is what came out. Its JSON has lengths of time in seconds.
type Report struct {
	Gap         Span    `json:"gap_seconds"`   // within which calls are one cluster
	Percentile  float64 `json:"percentile"`    // of the sizes of clusters
	CloseToZero float64 `json:"close_to_zero"` // the share of calls that may be refused

	From    time.Time         `json:"from"` // the first call
	To      time.Time         `json:"to"`   // the last
	Calls   int64             `json:"calls"`
	Clients int64             `json:"clients"`
	Late    int64             `json:"late_calls"`     // came too late to be put in order, and are not among Calls
	LeftOut int64             `json:"left_out_calls"` // of clients beyond those told apart, and not among Calls
	Logs    []accesslog.Tally `json:"logs"`

	All      Class      `json:"all"`     // all calls, as if one limit held for them together
	Classes  []Class    `json:"classes"` // each as if it had a limit of its own; the largest first
	Loops    []Loop     `json:"loops"`   // the first of the clients that look like loops
	NumLoops int        `json:"loop_clients"`
	Matrix   []TypeRule `json:"matrix"`
	Warnings []Warning  `json:"warnings"`
}

// A Class is a class of calls.
type Class struct {
	Name     string     `json:"name"`
	Type     ClientType `json:"type"`
	TypeWhy  string     `json:"type_why"`
	Limit    Limit      `json:"limit"`
	Calls    int64      `json:"calls"`
	Clients  int64      `json:"clients"`
	Clusters Clusters   `json:"clusters"`

	// Advised is the burst that the matrix gives for this type of client.
	Advised Burst `json:"advised"`

	// Enough is the smallest burst at which next to nothing is refused, if one
	// leaves out clients that look like loops. It is nil if there is none.
	Enough *Candidate `json:"enough"`

	// Candidates are the bursts that were tried, the smallest first, up to the
	// first that rejects nothing; and beyond it those that were asked for, and
	// what is advised if it was tried. See At.
	Candidates []Candidate `json:"candidates"`
}

// At returns the largest candidate whose τ/T is at most b. What it refuses is
// the most that b would.
func (c *Class) At(b int64) Candidate {
	i, found := slices.BinarySearchFunc(c.Candidates, b, func(have Candidate, b int64) int { return cmp.Compare(have.TauOverT, b) })
	if !found {
		i--
	}
	return c.Candidates[i]
}

// Clusters tell how many calls come together. Sizes are in units of cost. Those
// that look like loops are not among them, unless there are no others.
type Clusters struct {
	Count      int64   `json:"count"`
	Mean       float64 `json:"mean"`
	Median     int64   `json:"median"`
	Percentile int64   `json:"percentile"` // that of the options
	Max        int64   `json:"max"`
	Loops      int64   `json:"loops"` // how many there are besides
	Sizes      []Size  `json:"sizes"`
}

func clustersOf(s sizes, p float64) Clusters {
	return Clusters{
		Count:      s.count(),
		Mean:       s.mean(),
		Median:     s.percentile(50),
		Percentile: s.percentile(p),
		Max:        s.percentile(100),
		Sizes:      s.list(),
	}
}

// A Burst is a tolerance, in each of the ways in which one speaks of it.
type Burst struct {
	TauOverT   int64   `json:"tau_over_t"`        // some call this the burst
	BackToBack int64   `json:"back_to_back"`      // τ/T + 1: Burst of package throttle, calls that go at once from rest
	Tolerance  Span    `json:"tolerance_seconds"` // τ
	Share      float64 `json:"window_share"`      // τ as a share of the window
}

func burstOf(b int64, l Limit) Burst {
	tau := times(b, l.Interval())
	return Burst{TauOverT: b, BackToBack: b + 1, Tolerance: Span(tau), Share: float64(tau) / float64(l.Window)}
}

// A Candidate is what would have become of the calls at a burst.
type Candidate struct {
	Burst
	Rejected  int64   `json:"rejected"`
	Rate      float64 `json:"reject_rate"`               // of all calls
	OtherRate float64 `json:"reject_rate_without_loops"` // the same without the clients that look like loops
	NearRate  float64 `json:"near_limit_rate"`           // share of the calls that passed, but behind which another would not have
	WorstWait Span    `json:"worst_wait_seconds"`        // of a rejected call, until it would have passed
	Queue     Span    `json:"worst_queue_seconds"`       // of a client that waits its turn instead of being rejected, without loops
}

// ErrNoCalls is returned if there was nothing to measure.
var ErrNoCalls = errors.New("tune: no calls")

// Report ends the measurement, and says what came out. After it the Tuner is of
// no more use. Without any call the error is [ErrNoCalls].
func (t *Tuner) Report() (*Report, error) {
	t.held.flush(t.measure)
	for _, c := range append([]*class{t.all}, t.classes...) {
		c.refused, c.loopRefused = make([]int64, len(t.ladder)), make([]int64, len(t.ladder))
	}
	for _, c := range t.clients {
		t.finish(c)
	}
	if t.all.calls == 0 {
		return nil, ErrNoCalls
	}
	r := &Report{
		Gap:         Span(t.options.Gap),
		Percentile:  t.options.Percentile,
		CloseToZero: max(t.options.CloseToZero, 0),
		From:        t.seen.from,
		To:          t.seen.to,
		Calls:       t.all.calls,
		Clients:     t.all.clients,
		Late:        t.held.late,
		LeftOut:     t.seen.leftOut,
		Classes:     t.reports(),
		Matrix:      Matrix(),
	}
	if len(r.Classes) == 1 {
		t.all.only = &r.Classes[0]
	}
	r.All = t.all.report(&t.options, t.ladder)
	r.Loops, r.NumLoops = t.loops()
	r.Warnings = t.warnings(r)
	return r, nil
}

// finish takes a client that may have no calls: those that come too late are not
// measured.
func (t *Tuner) finish(c *client) {
	if c.all.calls == 0 {
		return
	}
	t.all.finish(&c.all)
	for i := range c.classes {
		c.classes[i].class.finish(&c.classes[i].track)
	}
}

// reports returns the classes that have calls, the largest first.
func (t *Tuner) reports() []Class {
	classes := []Class{}
	for _, c := range t.classes {
		if c.calls > 0 {
			classes = append(classes, c.report(&t.options, t.ladder))
		}
	}
	slices.SortStableFunc(classes, func(a, b Class) int { return cmp.Compare(b.Calls, a.Calls) })
	return classes
}

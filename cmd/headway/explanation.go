package main

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/headers"
)

// An explanation is all that is to be said about one response.
type explanation struct {
	source string
	status int // 0: unknown
	now    time.Time
	notes  []string // what a reader should know of where it comes from
	har    *harHost
	report headers.Report
	schedule
}

func explain(h http.Header, status int, now time.Time, o headers.Overrides) *explanation {
	report := o.Explain(h, now)
	return &explanation{
		status:   status,
		now:      now,
		report:   report,
		schedule: newSchedule(status, report.Result),
	}
}

// The types below are what --json writes. The comment of the package says what
// the fields mean.

type explanationJSON struct {
	Source     string            `json:"source"`
	Host       string            `json:"host,omitempty"`
	Entry      int               `json:"entry,omitempty"`
	Responses  int               `json:"responses,omitempty"`
	Publishing int               `json:"publishing,omitempty"`
	Status     *int              `json:"status"`
	Now        time.Time         `json:"now"`
	Cached     bool              `json:"cached"`
	Policies   []explainedPolicy `json:"policies"`
	RetryAfter *float64          `json:"retry_after_seconds"`
	Fields     []fieldJSON       `json:"fields"`
	Schedule   scheduleJSON      `json:"schedule"`
}

type explainedPolicy struct {
	policyJSON
	PartitionKey *string `json:"partition_key"`
	Kind         string  `json:"kind"`
	Dialect      string  `json:"dialect"`
}

type fieldJSON struct {
	Name    string  `json:"name"`
	Value   string  `json:"value"`
	Role    *string `json:"role"`
	Read    *string `json:"read"`
	Dialect *string `json:"dialect"`
	Ignored *string `json:"ignored"`
}

type scheduleJSON struct {
	Limits       []limitJSON `json:"limits"`
	Refused      bool        `json:"refused"`
	CoolDown     float64     `json:"cool_down_seconds"`
	NextCall     *float64    `json:"next_call_seconds"`
	NextCallAt   *time.Time  `json:"next_call_at"`
	Calls        int         `json:"calls"`
	CallsKnown   int         `json:"calls_known"`
	CallsSeconds *float64    `json:"calls_seconds"`
	Unknown      *string     `json:"unknown"`
}

type limitJSON struct {
	Policy    *string  `json:"policy"`
	Basis     string   `json:"basis"`
	Rate      *float64 `json:"rate_per_second"`
	Burst     int      `json:"burst"`
	Interval  float64  `json:"interval_seconds"`
	Tolerance float64  `json:"tolerance_seconds"`
	Margin    float64  `json:"margin_seconds"`
}

func (e *explanation) toJSON() explanationJSON {
	out := explanationJSON{
		Source:     e.source,
		Now:        e.now,
		Cached:     e.report.Cached,
		Policies:   []explainedPolicy{},
		RetryAfter: seconds(e.report.RetryAfter),
		Fields:     []fieldJSON{},
		Schedule:   e.schedule.toJSON(e.now),
	}
	if e.status != 0 {
		out.Status = &e.status
	}
	if e.har != nil {
		out.Host, out.Entry, out.Responses, out.Publishing = e.har.name, e.har.number, e.har.responses, e.har.publishing
	}
	plain := policiesJSON(e.report.Policies)
	for i, p := range e.report.Policies {
		out.Policies = append(out.Policies, explainedPolicy{plain[i], known(p.PartitionKey), p.Kind.String(), p.Dialect})
	}
	for _, f := range e.report.Fields {
		out.Fields = append(out.Fields, fieldJSON{f.Name, f.Value, known(f.Role), known(f.Read), known(f.Dialect), known(f.Ignored)})
	}
	return out
}

func (s *schedule) toJSON(now time.Time) scheduleJSON {
	out := scheduleJSON{
		Limits:     []limitJSON{},
		Refused:    s.refused,
		CoolDown:   s.coolDown.Seconds(),
		Calls:      manyCalls,
		CallsKnown: len(s.calls),
		Unknown:    known(s.unknown),
	}
	for _, l := range s.limits {
		out.Limits = append(out.Limits, l.toJSON())
	}
	if len(s.calls) > 0 {
		next, last := s.calls[0], s.calls[len(s.calls)-1]
		at := now.Add(next)
		out.NextCall, out.NextCallAt = seconds(headers.Some(next)), &at
		out.CallsSeconds = seconds(headers.Some(last))
	}
	return out
}

func (l *limit) toJSON() limitJSON {
	out := limitJSON{
		Policy:    known(l.policy.Name),
		Basis:     string(l.basis),
		Burst:     l.Burst,
		Interval:  l.interval().Seconds(),
		Tolerance: l.tolerance().Seconds(),
		Margin:    l.margin().Seconds(),
	}
	if r := float64(l.Rate); r <= 1e9 {
		out.Rate = &r
	}
	return out
}

package proxy

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/headway-go/headway/throttle"
)

// A status is what the pages show.
type status struct {
	Now       time.Time        `json:"now"`
	Stopping  bool             `json:"stopping"`
	Upstreams []upstreamStatus `json:"upstreams"`
	Budgets   []budgetStatus   `json:"budgets"`
}

type upstreamStatus struct {
	Base string `json:"base_url"` // here
	To   string `json:"upstream"`
}

type budgetStatus struct {
	Key      string        `json:"key"`
	Waiting  int           `json:"waiting"`
	InFlight int           `json:"in_flight"`
	Next     float64       `json:"next_slot_seconds"`
	CoolDown float64       `json:"cool_down_seconds"`
	Limits   []limitStatus `json:"limits"`
}

type limitStatus struct {
	Pattern  string   `json:"pattern"`         // of a limit set by hand; empty where it holds for the whole key
	Rate     *float64 `json:"rate_per_second"` // nil for no limit
	Burst    int      `json:"burst"`
	Interval *float64 `json:"interval_seconds"`
	Tokens   *float64 `json:"tokens"`
}

func (p *Proxy) status() status {
	s := status{
		Now:       time.Now().UTC(),
		Stopping:  p.stopping.Err() != nil,
		Upstreams: []upstreamStatus{},
		Budgets:   []budgetStatus{},
	}
	for i, to := range p.Upstreams {
		s.Upstreams = append(s.Upstreams, upstreamStatus{p.bases[i], to.String()})
	}
	for _, b := range p.Transport.Budgets() {
		s.Budgets = append(s.Budgets, statusOf(b))
	}
	return s
}

func statusOf(s throttle.State) budgetStatus {
	b := budgetStatus{
		Key:      printable(s.Key),
		Waiting:  s.Waiting,
		InFlight: s.InFlight,
		Next:     s.NextSlot.Seconds(),
		CoolDown: s.CoolingLeft.Seconds(),
		Limits:   limitsOf("", s.Limits, s.Tokens),
	}
	for _, l := range s.Lanes {
		b.Limits = append(b.Limits, limitsOf(printable(l.Name), l.Limits, l.Tokens)...)
	}
	return b
}

func limitsOf(pattern string, limits []throttle.Limit, tokens []float64) []limitStatus {
	list := []limitStatus{}
	for i, l := range limits {
		list = append(list, limitStatus{
			Pattern:  pattern,
			Rate:     finite(float64(l.Rate)),
			Burst:    l.Burst,
			Interval: finite(1 / float64(l.Rate)),
			Tokens:   finite(tokens[i]),
		})
	}
	return list
}

// finite is for JSON, which has no infinity.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

//go:embed status.html
var statusHTML string

var statusPage = template.Must(template.New("status").Funcs(template.FuncMap{"show": show}).Parse(statusHTML))

// show is a number that may be none.
func show(format string, v *float64, none string) string {
	if v == nil {
		return none
	}
	return fmt.Sprintf(format, *v)
}

// newPages are what the forward proxy has for direct requests: there the proxied
// ones have a URL with a host, so that no path can be in their way.
func (p *Proxy) newPages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		_ = statusPage.Execute(w, p.status()) // the client may be gone
	})
	mux.HandleFunc("GET /status.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(p.status())
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(p.metrics.registry, promhttp.HandlerOpts{}))
	return mux
}

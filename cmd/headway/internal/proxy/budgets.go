package proxy

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
)

// budgets shows the budgets of a Transport as they are when somebody asks. It is a
// [prometheus.Collector].
type budgets struct{ of *transport.Transport }

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("headway_proxy_"+name, help, labels, nil)
}

var (
	waitingGauge  = gauge("waiting", "Calls that wait.", "key")
	inFlightGauge = gauge("in_flight", "Calls under way, where their number is capped.", "key")
	nextGauge     = gauge("next_slot_seconds", "Until a new call could go.", "key")
	coolGauge     = gauge("cool_down_seconds", "Until the cool-down ends that a refusal began.", "key")
	rateGauge     = gauge("limit_calls_per_second", "The rate of a limit that holds.", "key", "pattern", "limit")
	burstGauge    = gauge("limit_burst", "How many calls it lets go back to back from rest.", "key", "pattern", "limit")
	tokensGauge   = gauge("limit_tokens", "How many calls it would let go at once.", "key", "pattern", "limit")
)

// Describe implements [prometheus.Collector].
func (b budgets) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{waitingGauge, inFlightGauge, nextGauge, coolGauge, rateGauge, burstGauge, tokensGauge} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (b budgets) Collect(to chan<- prometheus.Metric) {
	for _, s := range b.of.Budgets() {
		key := printable(s.Key)
		send(to, waitingGauge, float64(s.Waiting), key)
		send(to, inFlightGauge, float64(s.InFlight), key)
		send(to, nextGauge, s.NextSlot.Seconds(), key)
		send(to, coolGauge, s.CoolingLeft.Seconds(), key)
		sendLimits(to, s.Limits, s.Tokens, key, "")
		for _, l := range s.Lanes {
			sendLimits(to, l.Limits, l.Tokens, key, printable(l.Name))
		}
	}
}

func send(to chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func sendLimits(to chan<- prometheus.Metric, limits []throttle.Limit, tokens []float64, key, pattern string) {
	for i, l := range limits {
		n := strconv.Itoa(i + 1)
		send(to, rateGauge, float64(l.Rate), key, pattern, n)
		send(to, burstGauge, float64(l.Burst), key, pattern, n)
		send(to, tokensGauge, tokens[i], key, pattern, n)
	}
}

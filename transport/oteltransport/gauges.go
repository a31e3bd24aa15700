package oteltransport

import (
	"context"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"golang.org/x/time/rate"
)

// Gauges are the instruments that are read when somebody collects.
type gauges struct {
	waiters  metric.Int64ObservableUpDownCounter
	coolDown metric.Float64ObservableGauge
	rate     metric.Float64ObservableGauge
	burst    metric.Int64ObservableGauge
	shared   metric.Int64ObservableGauge
}

// A moded store knows whether its slots are those of all who share a budget, as
// that of package redisstore does.
type moded interface{ Shared() bool }

func registerGauges(meter metric.Meter, t *transport.Transport) (metric.Registration, error) {
	g, err := newGauges(meter)
	if err != nil {
		return nil, err
	}
	return meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, s := range t.Budgets() {
			g.observe(o, s, t.Shadow)
		}
		if s, ok := t.Store.(moded); ok {
			o.ObserveInt64(g.shared, one(s.Shared()))
		}
		return nil
	}, g.waiters, g.coolDown, g.rate, g.burst, g.shared)
}

func newGauges(meter metric.Meter) (g gauges, err error) {
	g.waiters, err = meter.Int64ObservableUpDownCounter("headway.client.waiters",
		metric.WithUnit("{call}"), metric.WithDescription("Calls that wait for their turn."))
	if err != nil {
		return g, err
	}
	g.coolDown, err = meter.Float64ObservableGauge("headway.client.cooldown.remaining",
		metric.WithUnit("s"), metric.WithDescription("How long nobody calls, because the server refused."))
	if err != nil {
		return g, err
	}
	g.rate, err = meter.Float64ObservableGauge("headway.client.limit.rate",
		metric.WithUnit("{call}/s"), metric.WithDescription("The rate of a limit in force."))
	if err != nil {
		return g, err
	}
	g.burst, err = meter.Int64ObservableGauge("headway.client.limit.burst",
		metric.WithUnit("{call}"), metric.WithDescription("The burst of a limit in force."))
	if err != nil {
		return g, err
	}
	g.shared, err = meter.Int64ObservableGauge("headway.client.store.shared",
		metric.WithDescription("1 while budgets are shared by the store, 0 while it is away and each process has its part."))
	return g, err
}

func (g *gauges) observe(o metric.Observer, s throttle.State, shadow bool) {
	of := attributes(s.Key, "", shadow)
	o.ObserveInt64(g.waiters, int64(s.Waiting), with(of))
	o.ObserveFloat64(g.coolDown, s.CoolingLeft.Seconds(), with(of))
	byHand := len(s.Limits) - s.Learned
	g.limits(o, of, "manual", s.Limits[:byHand])
	g.limits(o, of, "learned", s.Limits[byHand:])
	for _, l := range s.Lanes {
		g.limits(o, attributes(s.Key, l.Name, shadow), "manual", l.Limits)
	}
}

func (g *gauges) limits(o metric.Observer, of []attribute.KeyValue, source string, limits []throttle.Limit) {
	for i, l := range limits {
		if l.Rate == rate.Inf {
			continue // it is none
		}
		at := with(of, attribute.String("headway.limit.source", source), attribute.Int("headway.limit.index", i))
		o.ObserveFloat64(g.rate, float64(l.Rate), at)
		o.ObserveInt64(g.burst, int64(l.Burst), at)
	}
}

// one is 1 for yes, and 0 for no.
func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

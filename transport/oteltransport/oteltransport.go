package oteltransport

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headway-go/headway/transport"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of the instrumentation.
const scope = "github.com/headway-go/headway/transport/oteltransport"

// nearLimit is the share of the burst below which a limit is near.
const nearLimit = 0.1

// Instrument lets t report to the meters of a provider, nil for the global one of
// package otel, and to the spans in the contexts of its requests. Call it once
// the other fields of t are set, and before its first call: it sets t.Observe.
// What was set there is called as well.
//
// The gauges hold on to t until the registration is ended with Unregister, for
// which there is no need if t lasts as long as the program. The error is that of
// the provider.
func Instrument(t *transport.Transport, provider metric.MeterProvider) (metric.Registration, error) {
	if provider == nil {
		provider = otel.GetMeterProvider()
	}
	meter := provider.Meter(scope)
	c, err := newCounters(meter)
	if err != nil {
		return nil, fmt.Errorf("oteltransport: %w", err)
	}
	registration, err := registerGauges(meter, t)
	if err != nil {
		return nil, fmt.Errorf("oteltransport: %w", err)
	}
	before := t.Observe
	t.Observe = func(ctx context.Context, ev transport.Event) {
		c.count(ctx, ev)
		addSpanEvent(ctx, ev)
		if before != nil {
			before(ctx, ev)
		}
	}
	return registration, nil
}

// Counters are the instruments that count events.
type counters struct {
	wait     metric.Float64Histogram
	calls    metric.Int64Counter
	near     metric.Int64Counter
	warnings metric.Int64Counter
}

func newCounters(meter metric.Meter) (c counters, err error) {
	c.wait, err = meter.Float64Histogram("headway.client.wait.duration",
		metric.WithUnit("s"),
		metric.WithDescription("How long attempts waited for their turn before they were sent."),
		metric.WithExplicitBucketBoundaries(0, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300))
	for _, counter := range []struct {
		into              *metric.Int64Counter
		name, unit, about string
	}{
		{&c.calls, "headway.client.calls", "{call}", "What became of calls, by outcome."},
		{&c.near, "headway.client.near_limit", "{call}", "Attempts that found less than a tenth of the burst left."},
		{&c.warnings, "headway.client.warnings", "{warning}", "Signs that a program is broken, or shares its budget."},
	} {
		if err == nil {
			*counter.into, err = meter.Int64Counter(counter.name, metric.WithUnit(counter.unit), metric.WithDescription(counter.about))
		}
	}
	return c, err
}

// outcomes are the kinds of events that are outcomes of a call.
var outcomes = map[transport.EventKind]string{
	transport.EventSent:           "sent",
	transport.EventRefusedLocally: "refused_locally",
	transport.EventThrottled:      "refused_by_server",
	transport.EventRetry:          "retried",
	transport.EventGaveUp:         "gave_up",
}

func (c *counters) count(ctx context.Context, ev transport.Event) {
	of := attributes(ev.Key, ev.Pattern, ev.Shadow)
	if outcome, ok := outcomes[ev.Kind]; ok {
		c.calls.Add(ctx, 1, with(of, attribute.String("headway.outcome", outcome)))
	}
	switch ev.Kind {
	case transport.EventSent:
		c.wait.Record(ctx, ev.Wait.Seconds(), with(of, causes(ev)...))
		if ev.Left < nearLimit {
			c.near.Add(ctx, 1, with(of))
		}
	case transport.EventLoop, transport.EventOthers:
		c.warnings.Add(ctx, 1, with(of, attribute.String("headway.warning", string(ev.Kind))))
	}
}

// attributes are those that all have.
func attributes(key, class string, shadow bool) []attribute.KeyValue {
	of := []attribute.KeyValue{attribute.String("headway.key", key)}
	if class != "" {
		of = append(of, attribute.String("headway.class", class))
	}
	if shadow {
		of = append(of, attribute.Bool("headway.shadow", true))
	}
	return of
}

func causes(ev transport.Event) []attribute.KeyValue {
	if ev.Cause == "" {
		return nil
	}
	return []attribute.KeyValue{attribute.String("headway.cause", string(ev.Cause))}
}

func with(of []attribute.KeyValue, more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(slices.Concat(of, more)...)
}

// addSpanEvent notes on the span of a call what happened to it.
func addSpanEvent(ctx context.Context, ev transport.Event) {
	span := trace.SpanFromContext(ctx)
	if ev.Kind == transport.EventSent || !span.IsRecording() {
		return
	}
	of := append(attributes(ev.Key, ev.Pattern, ev.Shadow), causes(ev)...)
	of = append(of, attribute.Int("headway.attempt", ev.Attempt))
	if ev.Wait > 0 {
		of = append(of, attribute.Float64("headway.wait", ev.Wait.Seconds()))
	}
	if ev.Status > 0 {
		of = append(of, attribute.Int("http.response.status_code", ev.Status))
	}
	if ev.Err != nil {
		// Its type only: the text is the program's, and who knows what it holds.
		of = append(of, attribute.String("error.type", fmt.Sprintf("%T", ev.Err)))
	}
	if ev.Rate > 0 {
		of = append(of, attribute.Float64("headway.rate", ev.Rate))
	}
	span.AddEvent("headway."+strings.ReplaceAll(string(ev.Kind), " ", "_"), trace.WithAttributes(of...))
}

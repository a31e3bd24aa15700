// Package oteltransport lets OpenTelemetry see what a [transport.Transport] does.
//
//	t := &transport.Transport{}
//	if _, err := oteltransport.Instrument(t, nil); err != nil {
//		return err
//	}
//	client := &http.Client{Transport: t}
//
// # Metrics
//
//	headway.client.wait.duration       histogram, s        how long attempts waited before they were sent, 0 included
//	headway.client.calls               counter             by headway.outcome, see below
//	headway.client.near_limit          counter             attempts sent that found less than a tenth of the burst left
//	headway.client.warnings            counter             by headway.warning: loop, others; see package transport
//	headway.client.waiters             up-down counter     calls that wait now
//	headway.client.cooldown.remaining  gauge, s            how long a budget is still left alone after a refusal
//	headway.client.limit.rate          gauge, calls a s    of each limit in force
//	headway.client.limit.burst         gauge, calls        the same
//	headway.client.store.shared        gauge               1 while a Store over Redis shares the budgets, 0 while it is away
//
// The outcomes are sent, an attempt to which there was an answer or an error;
// refused_by_server, one of these that was refused because of a limit; retried, a
// call that is sent again; gave_up, one that ends with a refusal, an answer of 500
// and above, or an error; and refused_locally, an attempt that was not sent
// because it would have had to wait too long.
//
// A limit is near for a share of calls of near_limit / calls{sent}. A generous
// burst hides a client that is broken; this ratio shows it. With Prometheus:
//
//	sum by (headway_key) (rate(headway_client_near_limit_total[5m]))
//	  / sum by (headway_key) (rate(headway_client_calls_total{headway_outcome="sent"}[5m]))
//
// Attributes are headway.key, the key of the budget; headway.class, the pattern
// in Limits that the call matches, if there is one; headway.shadow, which is there
// for a Transport in shadow mode, whose waits and local refusals only would have
// been; headway.cause, what a wait was for; and for limits headway.limit.source,
// manual or learned, and headway.limit.index, which tells several of one class
// apart. Nothing else of a request is told.
//
// Each key is a series of its own, which counters and the histogram keep for good:
// if there are many, give the SDK a view that drops the attribute. What several
// Transports with one provider count under one key adds up, but of their limits
// and cool-downs the gauges show those of any one: a Key tells Transports apart.
//
// # Spans
//
// The span in the context of a request gets an event for each wait, refusal and
// retry. With go.opentelemetry.io/contrib's otelhttp that is its span if it wraps
// the Transport,
//
//	&http.Client{Transport: otelhttp.NewTransport(t)}
//
// which then spans the waits as well. If it is the Base of the Transport, each
// attempt has a span of its own, and the events go to the span around them.
package oteltransport

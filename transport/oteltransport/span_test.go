package oteltransport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// The events of a call that was refused, and then went, are on the span around
// the Transport: that of otelhttp if it wraps it, that of the caller if otelhttp
// makes the attempts, each of which has a span then.
func TestSpanEvents(t *testing.T) {
	for _, tt := range []struct {
		name string
		want string // spans, with their events
	}{
		{"otelhttp outside", "HTTP GET [throttled retry waited]; caller []"},
		{"otelhttp inside", "HTTP GET []; HTTP GET []; caller [throttled retry waited]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorded := tracetest.NewSpanRecorder()
				provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorded))
				with := otelhttp.WithTracerProvider(provider)

				tr := newTransport(429, 200)
				var rt http.RoundTripper = tr
				if tt.name == "otelhttp inside" {
					tr.Base = otelhttp.NewTransport(tr.Base, with)
				} else {
					rt = otelhttp.NewTransport(tr, with)
				}
				instrument(t, tr)
				ctx, caller := provider.Tracer("test").Start(t.Context(), "caller")
				if status, err := call(ctx, t, rt); status != 200 || err != nil {
					t.Errorf("status %d, %v", status, err)
				}
				caller.End()
				if got := describe(t, recorded.Ended()); got != tt.want {
					t.Errorf("spans %s; want %s", got, tt.want)
				}
			})
		})
	}
}

// describe lists the spans, and checks what the events say.
func describe(t *testing.T, spans []sdktrace.ReadOnlySpan) string {
	t.Helper()
	var out []string
	for _, s := range spans {
		var events []string
		for _, e := range s.Events() {
			events = append(events, strings.TrimPrefix(e.Name, "headway."))
			said := map[string]string{}
			for _, a := range e.Attributes {
				said[string(a.Key)] = a.Value.String()
			}
			want := map[string]string{
				"headway.throttled": "map[headway.attempt:1 headway.key:api.example.com headway.wait:2 http.response.status_code:429]",
				"headway.retry":     "map[headway.attempt:2 headway.key:api.example.com http.response.status_code:429]",
				"headway.waited":    "map[headway.attempt:2 headway.cause:cool-down headway.key:api.example.com headway.wait:2]",
			}[e.Name]
			if got := fmt.Sprint(said); got != want {
				t.Errorf("%s says %s, want %s", e.Name, got, want)
			}
		}
		out = append(out, fmt.Sprint(s.Name(), " ", events))
	}
	return strings.Join(out, "; ")
}

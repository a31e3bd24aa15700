package oteltransport_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/headway-go/headway/transport"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// A leakyBase fails with what net/http says then, which has the URL in it, and
// with more of its own.
type leakyBase struct{}

func (leakyBase) RoundTrip(req *http.Request) (*http.Response, error) {
	return nil, &url.Error{Op: "Get", URL: req.URL.String(), Err: fmt.Errorf("s3cret: %w", io.ErrUnexpectedEOF)}
}

// Nothing of the URL but its host is in a metric or a span event, and nothing of
// the header, also where that tells the keys apart.
func TestNoSecretIsTold(t *testing.T) {
	for name, tr := range map[string]*transport.Transport{
		"broken":         {Base: leakyBase{}},
		"refused":        newTransport(429),
		"refused here":   {Base: leakyBase{}, Limits: transport.Limits{"/": {{Rate: 0.001}}}, MaxAttempts: 1},
		"by credentials": {Base: leakyBase{}, Key: transport.KeyByHostAndHeader("Authorization")},
		"a shadow":       {Base: leakyBase{}, Shadow: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorded := tracetest.NewSpanRecorder()
				ctx, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorded)).Tracer("").Start(t.Context(), "caller")
				p := instrument(t, tr)
				for range 3 {
					_, _ = call(ctx, t, tr)
				}
				span.End()
				text := p.scrape(t)
				for _, s := range recorded.Ended() {
					text += fmt.Sprintf("%+v", s.Events())
				}
				if !strings.Contains(text, "api.example.com") || strings.Contains(text, "s3cret") || strings.Contains(text, "things") {
					t.Errorf("it is told:\n%s", text)
				}
			})
		})
	}
}

// Otlp exports spans with the OTLP/HTTP exporter of OpenTelemetry, through a
// client that paces itself, into a collector that takes ten requests a second.
// Eight programs export at once, no more than two requests are under way, and no
// span is lost.
//
//	go run ./examples/otlp
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const (
	programs = 8
	spans    = 1000 // of each
	batch    = 200  // spans in a request
	atOnce   = 2    // requests under way
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	c := &collector{}
	limited, err := throttletest.NewHandler(throttletest.Config{Rate: 10, Burst: 5, Handler: c})
	if err != nil {
		return err
	}
	srv := httptest.NewServer(limited)
	defer srv.Close()
	client := &http.Client{Transport: &transport.Transport{
		MaxConcurrent: atOnce,
		MaxWait:       5 * time.Minute, // rather late than lost
		MaxAttempts:   100,
	}}
	start := time.Now()
	err = exportAll(ctx, client, srv.URL)
	fmt.Fprintf(out, "%d spans made, %d arrived, in %d requests, %d of them refused, %d at once at most, after %v\n",
		programs*spans, c.spans, limited.Admitted()+limited.Refused(), limited.Refused(), c.most, time.Since(start).Round(100*time.Millisecond))
	if lost := programs*spans - c.spans; err == nil && lost != 0 {
		err = fmt.Errorf("%d spans were lost", lost)
	}
	return err
}

// exportAll has all programs make their spans, and waits for the last to be
// exported.
func exportAll(ctx context.Context, client *http.Client, url string) error {
	errs := make([]error, programs)
	var wg sync.WaitGroup
	for i := range programs {
		wg.Go(func() { errs[i] = export(ctx, client, url) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func export(ctx context.Context, client *http.Client, url string) error {
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpoint(strings.TrimPrefix(url, "http://")), otlptracehttp.WithInsecure(),
		otlptracehttp.WithHTTPClient(client),
		// The Transport waits and sends again; the exporter must let it.
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}),
		otlptracehttp.WithTimeout(5*time.Minute),
	)
	if err != nil {
		return err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter,
		sdktrace.WithMaxExportBatchSize(batch), sdktrace.WithMaxQueueSize(2*batch), sdktrace.WithBlocking(),
		sdktrace.WithExportTimeout(5*time.Minute),
	))
	tracer := provider.Tracer("example")
	for range spans {
		_, span := tracer.Start(ctx, "work")
		span.End()
	}
	return provider.Shutdown(ctx)
}

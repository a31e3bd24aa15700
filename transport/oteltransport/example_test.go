package oteltransport_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/headway-go/headway/transport"
	"github.com/headway-go/headway/transport/oteltransport"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

func ExampleInstrument() {
	reader := sdkmetric.NewManualReader() // in a program: that of an exporter
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))

	t := &transport.Transport{
		Base:   &script{statuses: []int{http.StatusOK}}, // in a program: none
		Limits: transport.Limits{"api.example.com/": {{Rate: 10, Burst: 5}}},
	}
	if _, err := oteltransport.Instrument(t, provider); err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: otelhttp.NewTransport(t, otelhttp.WithMeterProvider(provider))}
	resp, err := client.Get("http://api.example.com/")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()

	var collected metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &collected); err != nil {
		fmt.Println(err)
		return
	}
	for _, scope := range collected.ScopeMetrics {
		for _, m := range scope.Metrics {
			fmt.Println(m.Name)
		}
	}
	// Unordered output:
	// headway.client.calls
	// headway.client.wait.duration
	// headway.client.waiters
	// headway.client.cooldown.remaining
	// headway.client.limit.rate
	// headway.client.limit.burst
	// http.client.request.body.size
	// http.client.request.duration
}

package oteltransport_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/headway-go/headway/transport"
	"github.com/headway-go/headway/transport/oteltransport"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// A prom is the real SDK with a Prometheus exporter.
type prom struct {
	registry     *prometheus.Registry
	provider     *sdkmetric.MeterProvider
	registration metric.Registration
}

func instrument(t *testing.T, tr *transport.Transport) *prom {
	t.Helper()
	p := &prom{registry: prometheus.NewRegistry()}
	exporter, err := otelprom.New(otelprom.WithRegisterer(p.registry))
	if err != nil {
		t.Fatal(err)
	}
	p.provider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter))
	if p.registration, err = oteltransport.Instrument(tr, p.provider); err != nil {
		t.Fatal(err)
	}
	return p
}

// scrape reads the metrics over HTTP, as Prometheus does. The time of a synctest
// bubble stands still meanwhile.
func (p *prom) scrape(t *testing.T) (text string) {
	t.Helper()
	server := httptest.NewServer(promhttp.HandlerFor(p.registry, promhttp.HandlerOpts{}))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewScanner(resp.Body)
	for in.Scan() {
		text += in.Text() + "\n"
	}
	if in.Err() != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", resp.StatusCode, in.Err())
	}
	return text
}

// value is that of a series: of the metric of that name, with labels that hold
// all that is said of them. It is -1 if there is none.
func value(t *testing.T, text, name string, labels ...string) float64 {
	t.Helper()
	found, sum := -1.0, 0
	for line := range strings.Lines(text) {
		series, v, _ := strings.Cut(strings.TrimSpace(line), "} ")
		has, rest, _ := strings.Cut(series, "{")
		if has != name || !all(rest, labels) {
			continue
		}
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatal(err)
		}
		found, sum = f, sum+1
	}
	if sum > 1 {
		t.Errorf("%d series are of %s %q:\n%s", sum, name, labels, text)
	}
	return found
}

func all(have string, want []string) bool {
	for _, w := range want {
		name, v, _ := strings.Cut(w, "=")
		if !strings.Contains(","+have, fmt.Sprintf(",%s=%q", name, v)) {
			return false
		}
	}
	return true
}

func wantValue(t *testing.T, text string, want float64, name string, labels ...string) {
	t.Helper()
	if got := value(t, text, name, labels...); got != want {
		t.Errorf("%s %q is %v, want %v", name, labels, got, want)
	}
}

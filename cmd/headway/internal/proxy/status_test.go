package proxy

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

func page(t *testing.T, r *running, path string) string {
	t.Helper()
	resp, err := http.Get(r.url + path)
	text := body(t, resp, err)
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s: status %d", path, resp.StatusCode)
	}
	return text
}

// The pages show what the budgets are, and how calls ended.
func TestPages(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 0.5, Burst: 2})
	limits := transport.Limits{"GET 127.0.0.1/": {{Rate: 100, Burst: 7}}}
	r := start(t, Config{Transport: &transport.Transport{Limits: limits, MaxWait: 1}}, srv.URL)
	if text := page(t, r, "/"); !strings.Contains(text, "No call was made yet") {
		t.Errorf("at the start: %s", text)
	}
	for range 3 { // the third would have to wait
		resp, err := http.Get(r.bases[0])
		body(t, resp, err)
	}
	key, _ := strings.CutPrefix(srv.URL, "http://")
	var s status
	if err := json.Unmarshal([]byte(page(t, r, "/status.json")), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Upstreams) != 1 || s.Upstreams[0] != (upstreamStatus{r.bases[0], srv.URL}) || s.Stopping || s.Now.IsZero() {
		t.Errorf("%+v", s)
	}
	if len(s.Budgets) != 1 || s.Budgets[0].Key != key || len(s.Budgets[0].Limits) != 2 {
		t.Fatalf("%+v", s.Budgets)
	}
	learned, byHand := s.Budgets[0].Limits[0], s.Budgets[0].Limits[1]
	if *learned.Rate != 0.5 || learned.Burst != 2 || *learned.Interval != 2 || *learned.Tokens >= 1 || learned.Pattern != "" {
		t.Errorf("learned: %+v", learned)
	}
	if *byHand.Rate != 100 || byHand.Burst != 7 || byHand.Pattern != "GET 127.0.0.1/" {
		t.Errorf("by hand: %+v", byHand)
	}
	if text := page(t, r, "/"); !strings.Contains(text, key) || !strings.Contains(text, "0.5/s") || !strings.Contains(text, "GET 127.0.0.1/") {
		t.Errorf("the page: %s", text)
	}
	text := page(t, r, "/metrics")
	for _, want := range []string{
		`headway_proxy_calls_total{code="200",key="` + key + `",outcome="answered"} 2`,
		`headway_proxy_calls_total{code="",key="` + key + `",outcome="limit"} 1`,
		`headway_proxy_wait_seconds_count{key="` + key + `"} 2`,
		`headway_proxy_limit_calls_per_second{key="` + key + `",limit="1",pattern=""} 0.5`,
		`headway_proxy_limit_burst{key="` + key + `",limit="1",pattern="GET 127.0.0.1/"} 7`,
		"go_goroutines",
	} {
		if !strings.Contains(text, want+"\n") && !strings.Contains(text, want+" ") {
			t.Errorf("the metrics have no %s", want)
		}
	}
	families, err := r.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := promlint.NewWithMetricFamilies(families).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// Nothing of a call is to be seen anywhere but its host, and a hash of what it is
// counted by.
func TestNoSecrets(t *testing.T) {
	const secret = "s3cr3t"
	var hits atomic.Int64 // a connection that broke has no order with the next
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hit := hits.Add(1)
		if hit%3 == 0 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		if hit%5 == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("X-Answer", secret)
		_, _ = w.Write([]byte(secret))
	})
	tr := &transport.Transport{Key: transport.KeyByHostAndHeader("Authorization"), MaxAttempts: 2}
	r := start(t, Config{Transport: tr}, server)
	for _, w := range ways(t, r, server) {
		for i := range 6 {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.base+"/"+secret+"?q="+secret, strings.NewReader(secret))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", secret)
			req.Header.Set("X-"+secret, secret)
			if i == 5 && w.name == "forward" {
				req.URL.Host, req.Host = "127.0.0.1:1", "127.0.0.1:1" // nobody is there
			}
			if resp, err := w.client.Do(req); err == nil {
				body(t, resp, nil)
			}
		}
	}
	for _, text := range []string{page(t, r, "/"), page(t, r, "/status.json"), page(t, r, "/metrics"), r.out.String()} {
		if strings.Contains(strings.ToLower(text), secret) {
			t.Errorf("a secret in %s", text)
		}
	}
	if !strings.Contains(r.out.String(), "the server refuses (429)") || !strings.Contains(r.out.String(), "connection refused") {
		t.Errorf("the log is %q", r.out.String())
	}
}

// However many hosts there are, and whatever they are called, there are so many
// labels, and none breaks the metrics.
func TestLabels(t *testing.T) {
	var l labels
	seen := map[string]bool{}
	for i := range 2 * maxKeys {
		seen[l.of("host"+strconv.Itoa(i))] = true
	}
	if len(seen) != maxKeys+1 || !seen[others] {
		t.Errorf("%d labels, want %d", len(seen), maxKeys+1)
	}
	for key, want := range map[string]string{"api.test": "api.test", "bücher.test": "bücher.test", "a\x00\u202e\xff": `a\x00\u202e\xff`} {
		if got := printable(key); got != want {
			t.Errorf("printable(%q) = %q, want %q", key, got, want)
		}
	}
	if printable("a\xff") == printable(`a\xff`) {
		t.Error("two keys look the same")
	}
}

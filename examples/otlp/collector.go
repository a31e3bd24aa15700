package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"sync"
	"time"

	collect "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A collector counts the spans that it is sent.
type collector struct {
	mu          sync.Mutex
	spans       int
	under, most int // requests under way now, and at most so far
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.begin()
	defer c.end()
	time.Sleep(20 * time.Millisecond) // so that requests can overlap
	n, err := count(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.spans += n
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *collector) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.under++
	c.most = max(c.most, c.under)
}

func (c *collector) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.under--
}

func count(r *http.Request) (n int, err error) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(r.Body); err != nil {
			return 0, err
		}
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return 0, err
	}
	var request collect.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &request); err != nil {
		return 0, err
	}
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			n += len(scope.GetSpans())
		}
	}
	return n, nil
}

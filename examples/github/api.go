package main

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// An api answers as GitHub does, with far shorter windows.
type api struct {
	mu      sync.Mutex
	quotas  map[string]*quota
	refused int
}

// A quota is what may be used in a window.
type quota struct {
	limit, used int
	window      time.Duration
	end         time.Time
}

func newAPI() *api {
	return &api{quotas: map[string]*quota{
		"core":   {limit: 5000, window: time.Hour},
		"search": {limit: 10, window: 4 * time.Second},
	}}
}

func (a *api) refusals() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource := "core"
	if strings.Contains(r.URL.Path, "/search/") {
		resource = "search"
	}
	if !a.take(resource, w.Header()) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"message": "API rate limit exceeded"}`))
		return
	}
	_, _ = w.Write([]byte(`{}`))
}

// take uses up one call of a quota, and publishes what is left.
func (a *api) take(resource string, h http.Header) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, now := a.quotas[resource], time.Now()
	if !now.Before(q.end) {
		q.used, q.end = 0, now.Add(q.window)
	}
	ok := q.used < q.limit
	if ok {
		q.used++
	} else {
		a.refused++
	}
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	h.Set("X-RateLimit-Resource", resource)
	h.Set("X-RateLimit-Limit", strconv.Itoa(q.limit))
	h.Set("X-RateLimit-Used", strconv.Itoa(q.used))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(q.limit-q.used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(q.end.Unix(), 10))
	return ok
}

// Package limited is a rate-limited HTTP server to try clients against: the
// models of package simulate, played to real calls.
//
// A [Handler] asks its model about each call at the instant at which it comes,
// and tells of the limit in the header fields of a [Dialect].
package limited

import (
	"cmp"
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A Handler keeps one limit for all calls. Set its fields before the first call,
// and leave them be after that; it is safe for concurrent use.
type Handler struct {
	// Model keeps the limit, and nobody else may use it. Its time counts from
	// 1970, so that windows begin on the minute or the hour, as elsewhere.
	Model simulate.Server

	// Windowed is that of the model. The count of a window is no burst to publish.
	Windowed bool

	Dialect    Dialect    // zero means that nothing is published
	RetryAfter RetryAfter // of a refusal; zero means in whole seconds
	Status     int        // of a refusal; zero means 429

	// Latency is how long an answer takes, and Jitter up to how much longer,
	// at random. The limit is asked before that.
	Latency, Jitter time.Duration

	// Observe is called after each decision, by one goroutine at a time. It
	// must not call the Handler. Nil means nobody is told.
	Observe func(Call)

	mu    sync.Mutex // guards Model and the fields below
	start time.Time  // when the first call came
	sum   simulate.Summary
}

// A Call is what became of one call.
type Call struct {
	simulate.Step
	Time         time.Time
	Method, Path string
	Status       int
	Header       http.Header // what it is told about the limit
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := h.arrive(r)
	maps.Copy(w.Header(), c.Header)
	_, _ = io.Copy(io.Discard, r.Body) // some clients see no answer before they have sent it all
	if !pause(r.Context(), h.Latency+jitter(h.Jitter)) {
		return // nobody is left to answer
	}
	if !c.Admitted {
		http.Error(w, http.StatusText(c.Status), c.Status)
		return
	}
	io.WriteString(w, "ok\n")
}

// arrive decides on a call and counts it, in one step.
func (h *Handler) arrive(r *http.Request) Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.start.IsZero() {
		h.start = now
	}
	at := time.Duration(h.start.UnixNano()) + now.Sub(h.start) // whatever the clock is set to meanwhile
	c := Call{Time: now, Method: r.Method, Path: r.URL.Path, Status: http.StatusOK}
	c.Arrival = simulate.Arrival{At: at, Cost: 1}
	c.Verdict = h.Model.Arrive(c.At, c.Cost)
	if !c.Admitted {
		c.Status = cmp.Or(h.Status, http.StatusTooManyRequests)
	}
	c.Header = h.fields(c)
	h.sum.Add(c.Step)
	if h.Observe != nil {
		h.Observe(c)
	}
	return c
}

// Summary returns what became of the calls so far. It is for reading only.
func (h *Handler) Summary() simulate.Summary {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sum
}

// jitter is a time from zero up to most.
func jitter(most time.Duration) time.Duration {
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}

// pause reports whether it came to its end before the context did.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

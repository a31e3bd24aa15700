package throttletest

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Handler is the server's side of a limit, for programs that are no tests and
// for servers of your own making. Tests have it inside a [Server].
//
// It keeps a note of every call that arrives, and of every key, for as long as
// it lives. It is safe for concurrent use.
type Handler struct {
	config Config
	start  limit // the limit that it began with

	mu       sync.Mutex // guards the fields below
	limit    limit
	fresh    bucket             // the budget of a key that nobody has used yet
	buckets  map[string]*bucket // by key
	script   []http.Handler
	arrivals []Arrival
	admitted int
	refused  int
}

// An Arrival is what the server noted of one call.
type Arrival struct {
	At     time.Time // when the limit was asked; arrivals are in this order
	Method string
	Path   string
	Key    string
	Cost   int

	// Admitted reports whether the call was let through. It is false for one
	// with a scripted answer.
	Admitted bool

	// Scripted reports whether the answer was one of [Handler.Script], which
	// did not ask the limit.
	Scripted bool

	// Wait is how much later a refused call would have been admitted if no
	// other had come: zero if it was not refused, negative if it never would.
	Wait time.Duration
}

// NewHandler returns a Handler whose limit starts now. Its error is a
// *[ConfigError].
func NewHandler(c Config) (*Handler, error) {
	c = c.filled()
	l, err := newLimit(c.Rate, c.Burst, c.Window)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	level := l.full() - int64(c.Spent)*l.perCall
	return &Handler{
		config:  c,
		start:   l,
		limit:   l,
		fresh:   bucket{level: level, at: time.Now()},
		buckets: make(map[string]*bucket),
	}, nil
}

// ServeHTTP implements [http.Handler]: it admits or refuses the call, at the
// instant at which it is called.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := Arrival{Method: r.Method, Path: r.URL.Path, Key: h.config.Key(r), Cost: max(0, h.config.Cost(r))}
	rep, scripted := h.arrive(a)
	if scripted != nil {
		scripted.ServeHTTP(w, r)
		return
	}
	rep.publish(w.Header(), h.config.Dialect)
	rep.retryAfter(w.Header(), h.config.Dialect, h.config.RetryAfter)
	if rep.admitted {
		h.config.Handler.ServeHTTP(w, r)
		return
	}
	http.Error(w, http.StatusText(h.config.Status), h.config.Status)
}

// arrive decides on a call and notes it in one step, so that the notes are in
// the order of the decisions. It returns the scripted answer, if there is one.
func (h *Handler) arrive(a Arrival) (report, http.Handler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a.At = time.Now()
	if len(h.script) > 0 {
		answer := h.script[0]
		h.script = h.script[1:]
		a.Scripted = true
		h.arrivals = append(h.arrivals, a)
		return report{}, answer
	}
	v := h.bucketLocked(a.Key).take(h.limit, a.At, int64(a.Cost), h.config.CountRefused)
	if v.admitted {
		h.admitted++
	} else {
		h.refused++
	}
	a.Admitted, a.Wait = v.admitted, v.wait
	h.arrivals = append(h.arrivals, a)
	return report{verdict: v, limit: h.limit, now: a.At, cost: int64(a.Cost)}, nil
}

// bucketLocked returns the budget of key. The caller holds h.mu.
func (h *Handler) bucketLocked(key string) *bucket {
	b, ok := h.buckets[key]
	if !ok {
		b = new(h.fresh)
		h.buckets[key] = b
	}
	return b
}

// Arrivals returns what the server noted of each call so far, in order.
func (h *Handler) Arrivals() []Arrival {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.arrivals)
}

// Admitted returns how many calls the limit has let through so far.
func (h *Handler) Admitted() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.admitted
}

// Refused returns how many calls the limit has refused so far. Scripted answers
// are neither admitted nor refused.
func (h *Handler) Refused() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused
}

// SetLimit changes the limit from now on. Each budget keeps its level in calls,
// as far as the new burst holds it. Rate and burst are as in a [Config]; if they
// cannot be used, or not with its Window, SetLimit changes nothing and returns a
// *[ConfigError].
func (h *Handler) SetLimit(rate float64, burst int) error {
	l, err := newLimit(rate, cmp.Or(burst, 1), h.config.Window)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	h.fresh.change(h.limit, l, now)
	for _, b := range h.buckets {
		b.change(h.limit, l, now)
	}
	h.limit = l
	return nil
}

// Bound returns the least time in which n calls of cost 1 can be admitted to one
// budget, counted from the start of the server under the limit that it began
// with. No client is faster; a good one that starts at once is as fast, but for
// the network.
func (h *Handler) Bound(n int) time.Duration {
	level := h.start.burst - int64(h.config.Spent)
	if int64(n) <= level {
		return 0
	}
	d, rest := mulDiv(int64(n)-level, h.start.perCall, h.start.perNano)
	if rest > 0 {
		d++
	}
	return time.Duration(d)
}

package throttletest

import (
	"cmp"
	"io"
	"maps"
	"net/http"
)

// An Answer is a fixed answer to a call, for [Handler.Script] and
// [Config].Handler. It may be shared.
type Answer struct {
	Status int         // zero means 429
	Header http.Header // fields to set, in place of any of the same name
	Body   string
}

// ServeHTTP implements [http.Handler].
func (a Answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(cmp.Or(a.Status, http.StatusTooManyRequests))
	io.WriteString(w, a.Body) // the client may have gone, which is its affair
}

// Script makes the next calls have these answers, one each in the order in
// which they arrive, whatever the limit says and at no cost. Answers that are
// left from earlier go first. An [Answer] is one; so is any handler, such as
// one that waits, or that breaks the connection with panic(http.ErrAbortHandler).
func (h *Handler) Script(answers ...http.Handler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.script = append(h.script, answers...)
}

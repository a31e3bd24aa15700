package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// A fault says what is wrong with an entry, and which entry it is.
type fault struct {
	Field   string `json:"field"`           // the name of the entry; empty if it is about none
	Model   *int   `json:"model,omitempty"` // of the entries of a model: which one, from 0
	Entry   int    `json:"entry,omitempty"` // of an entry with several: which one, from 1
	Message string `json:"message"`
}

func (f *fault) Error() string { return f.Field + ": " + f.Message }

// faults are all that is wrong.
type faults []*fault

func (f faults) Error() string { return f[0].Error() }

// fail answers with what is wrong. What does not name an entry is about field.
func fail(w http.ResponseWriter, field string, err error) {
	status, all := http.StatusUnprocessableEntity, faults(nil)
	if several, ok := errors.AsType[faults](err); ok {
		all = several
	} else if one, ok := errors.AsType[*fault](err); ok {
		all = faults{one}
	} else if entry, ok := errors.AsType[*sim.EntryError](err); ok {
		all = faults{{Field: field, Entry: entry.Number, Message: fmt.Sprintf("request %d: the %s %s", entry.Number, entry.Field, entry.Problem)}}
	} else if long, ok := errors.AsType[*http.MaxBytesError](err); ok {
		status = http.StatusRequestEntityTooLarge
		all = faults{{Field: field, Message: fmt.Sprintf("it has more than %d MiB, and no more are taken here (--max-upload)", long.Limit>>20)}}
	} else {
		all = faults{{Field: field, Message: err.Error()}}
	}
	answer(w, status, map[string]any{"errors": all})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // whoever asked may have gone
}

// with adds a fault, unless it is there already.
func (f faults) with(one *fault) faults {
	same := func(other *fault) bool { return one.Model == nil && other.Model == nil && *one == *other }
	if slices.ContainsFunc(f, same) {
		return f
	}
	return append(f, one)
}

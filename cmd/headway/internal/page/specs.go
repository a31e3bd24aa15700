package page

import (
	"errors"
	"slices"
	"strings"

	"github.com/headway-go/headway/cmd/headway/internal/sim"
)

// shared are the parameters that all models have from the same entries.
var shared = []string{"bucket", "refill", "start"}

// specs reads the models: each m is one, as [sim.ParseSpec] reads it. Without any
// it is a token bucket.
func (e *entries) specs() []sim.Spec {
	base, sound := e.shared()
	texts := e.Values["m"]
	if len(texts) == 0 {
		texts = []string{""}
	}
	if len(texts) > sim.MaxModels {
		e.fault("models", "there are %d models: want at most %d", len(texts), sim.MaxModels)
		return nil
	}
	var specs []sim.Spec
	for i, text := range texts {
		s, err := sim.ParseSpec(text, base)
		if err == nil && sound { // else it may be wrong only for what it shares
			err = s.Validate()
		}
		if wrong, ok := errors.AsType[*sim.SpecError](err); ok {
			e.wrong = e.wrong.with(specFault(wrong, i, text))
		}
		specs = append(specs, s)
	}
	return specs
}

// shared reads what all models share, and reports whether it makes sense.
func (e *entries) shared() (base sim.Spec, sound bool) {
	sound = true
	for _, key := range shared {
		if e.text(key) == "" {
			continue
		}
		if wrong, ok := errors.AsType[*sim.SpecError](base.Set(key, e.text(key))); ok {
			e.fault(key, "%s", wrong.Problem)
			sound = false
		}
	}
	return base, sound
}

// specFault is what is wrong with a model, at the entry that is meant: one that
// all models share, unless this one has its own.
func specFault(wrong *sim.SpecError, model int, text string) *fault {
	f := &fault{Field: wrong.Field, Model: &model, Message: wrong.Problem}
	if slices.Contains(shared, wrong.Field) && !has(text, wrong.Field) {
		f.Model = nil
	}
	return f
}

// has reports whether the text of a model has that parameter.
func has(text, key string) bool {
	return slices.ContainsFunc(strings.Split(text, ","), func(part string) bool {
		name, _, _ := strings.Cut(part, "=")
		return strings.EqualFold(strings.TrimSpace(name), key)
	})
}

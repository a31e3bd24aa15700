package page

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/cmd/headway/internal/retries"
)

// backoff answers with the schedule of the policy in the query, and with a second
// one if the server asks for a wait.
func (p *page) backoff(w http.ResponseWriter, r *http.Request) {
	plan, err := readPlan(r.URL.Query())
	if err != nil {
		fail(w, "", err)
		return
	}
	plans := []retries.Plan{plan}
	if plan.RetryAfter > 0 {
		plans[0].RetryAfter = 0
		plans = append(plans, plan)
	}
	var schedules []retries.Schedule
	for _, plan := range plans {
		s, err := plan.Schedule()
		if err != nil {
			fail(w, "", policyFault(err))
			return
		}
		schedules = append(schedules, s)
	}
	answer(w, http.StatusOK, map[string]any{
		"attempts":  cmp.Or(plan.Policy.MaxAttempts, backoff.DefaultMaxAttempts),
		"schedules": schedules,
	})
}

func readPlan(q url.Values) (retries.Plan, error) {
	e := &entries{Values: q}
	plan := retries.Plan{
		Policy: backoff.Policy{
			Min: e.length("initial"), Max: e.length("max"), Multiplier: e.number("multiplier", 1, 1e6),
			Jitter: e.jitter("jitter"), HintJitter: e.jitter("hint_jitter"),
			MaxAttempts: e.whole("attempts", 1, retries.MaxRetries+1), MaxElapsed: e.span("elapsed"),
		},
		RetryAfter: e.span("retry_after"),
		Attempt:    e.span("attempt_time"),
	}
	return plan, e.err()
}

// jitter reads a share. None is not what zero is, which is the default.
func (e *entries) jitter(field string) float64 {
	if e.text(field) == "none" {
		return backoff.NoJitter
	}
	v := e.number(field, 0, 1)
	if v == 0 && e.text(field) != "" {
		return backoff.NoJitter
	}
	return v
}

// policyFault is for what makes no sense together.
func policyFault(err error) error {
	wrong, ok := errors.AsType[*backoff.PolicyError](err)
	if !ok {
		return err
	}
	field := map[string]string{"Min": "initial", "Max": "max"}[wrong.Field]
	return &fault{Field: field, Message: wrong.Problem}
}

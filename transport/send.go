package transport

import (
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
)

// A result is what came of one attempt.
type result struct {
	resp    *http.Response
	err     error
	refused bool // by a limit of the server
}

// send makes one attempt, for which the ticket was given, and tells the budget
// what the server said.
func (e *engine) send(req *http.Request, r *route, attempt int, t *throttle.Ticket) (*http.Response, bool, error) {
	returned := false
	defer func() {
		if !returned {
			t.Done() // Base panics: no permit goes with it
		}
	}()
	resp, err := e.base.RoundTrip(req)
	returned = true
	if err != nil {
		t.Answered(nil)
		t.Done()
		return nil, false, err
	}
	refused := e.listen(req, resp, r, attempt, t)
	if t.Counted() {
		resp.Body = untilEnd(resp.Body, t)
	}
	return resp, refused, nil
}

// listen passes on what an answer says of limits, and reports whether it is a
// refusal.
func (e *engine) listen(req *http.Request, resp *http.Response, r *route, attempt int, t *throttle.Ticket) bool {
	if !headers.Any(resp.Header) && resp.StatusCode < 400 && e.throttled == nil {
		t.Answered(nil)
		t.Succeeded()
		return false
	}
	said := headers.Parse(resp.Header, time.Now())
	t.Answered(policies(said.Policies))
	if !e.isRefusal(resp, said) {
		if resp.StatusCode < 500 {
			t.Succeeded()
		}
		return false
	}
	hint := hintOf(said)
	wait := t.Refused(func(strikes int) time.Duration {
		return e.coolDown(strikes, hint)
	})
	if e.observe != nil {
		e.tell(req.Context(), r, Event{Kind: EventThrottled, Attempt: attempt, Wait: wait, Status: resp.StatusCode})
	}
	return true
}

func (e *engine) isRefusal(resp *http.Response, said headers.Result) bool {
	if e.throttled != nil {
		return e.throttled(resp)
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return said.RetryAfter.OK
	}
	return false
}

// hintOf is when the server wants to be called again: Retry-After, or the reset
// of a policy that has nothing left.
func hintOf(said headers.Result) time.Duration {
	if said.RetryAfter.OK {
		return said.RetryAfter.V
	}
	var hint time.Duration
	for _, p := range said.Policies {
		if p.Remaining.OK && p.Remaining.V == 0 && p.Reset.OK {
			hint = max(hint, p.Reset.V)
		}
	}
	return hint
}

// coolDown is how long to hold back after so many refusals in a row. What is
// added to a hint at random must not make the wait too long for calls that
// could have waited for the hint.
func (e *engine) coolDown(strikes int, hint time.Duration) time.Duration {
	d := e.backoff.Delay(strikes-1, hint)
	if hint > 0 && hint <= e.maxWait {
		d = min(d, e.maxWait)
	}
	return d
}

// policies are those that count calls, in the plain values of the schedule.
func policies(from []headers.Policy) []throttle.Policy {
	var out []throttle.Policy
	for _, p := range from {
		if p.Unit != "requests" {
			continue
		}
		out = append(out, throttle.Policy{
			Name:      identity(p, out),
			Limit:     p.Limit.V,
			Window:    p.Window,
			Burst:     p.Burst.V,
			Remaining: p.Remaining.Or(-1),
			Reset:     p.Reset.Or(-1),
		})
	}
	return out
}

// identity tells the policies of one key apart, in this answer and the next.
func identity(p headers.Policy, taken []throttle.Policy) string {
	id := p.Name
	if p.PartitionKey != "" {
		id += "\x00" + p.PartitionKey
	}
	if id == "" && p.Window > 0 {
		id = p.Window.String()
	}
	for slices.ContainsFunc(taken, func(t throttle.Policy) bool { return t.Name == id }) {
		id += "+"
	}
	return id
}

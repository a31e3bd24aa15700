package transport

import (
	"errors"
	"net/http"
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

// An attempt is one sending of a call.
type attempt struct {
	req    *http.Request
	route  *route
	n      int // 1 for the first
	cost   int
	ticket ticket
	sight  // of those who are told of it
}

// send makes one attempt, for which the ticket was given, and tells the budget
// what the server said.
func (e *engine) send(a *attempt) (*http.Response, bool, error) {
	req, t := a.req, &a.ticket.Ticket
	ended := false
	defer func() {
		if !ended { // Base, or what the caller gave us to call, panics
			t.Answered(nil)
			t.Done()
		}
	}()
	sent := req
	if t.Counted() {
		// A call that Base makes for this one must not wait for its permit.
		sent = req.WithContext(throttle.WithPermit(req.Context(), t))
	}
	e.look(a)
	resp, err := e.base.RoundTrip(sent)
	if resp != nil && sent != req {
		resp.Request = req
	}
	if err == nil && resp == nil {
		err = errNoResponse
	}
	if err != nil {
		if resp != nil && resp.Body != nil {
			_ = resp.Body.Close()
		}
		ended = true
		t.Answered(nil)
		t.Done()
		e.failed(a, err)
		return nil, false, err
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	said, hold := e.listen(a, resp)
	e.answered(a, resp, said, hold)
	if t.Counted() {
		resp.Body = untilEnd(resp, t)
	} else {
		t.Done()
	}
	ended = true
	return resp, said.Refused, nil
}

// errNoResponse stands in for a Base that returns neither a response nor an
// error.
var errNoResponse = errors.New("transport: Base returned no response and no error")

// listen takes in what an answer says of limits, and returns it, and for how
// long those are held back whom it concerns if it is a refusal.
func (e *engine) listen(a *attempt, resp *http.Response) (said Reading, hold time.Duration) {
	t := &a.ticket.Ticket
	if !headers.Any(resp.Header) && resp.StatusCode < 400 && e.throttled == nil {
		t.Answered(nil)
		t.Succeeded()
		return Reading{}, 0
	}
	said = e.parse(a.req, resp)
	if e.throttled != nil {
		said.Refused = e.throttled(resp)
	}
	unsettled := a.route.unsettled(a.req, said, t)
	hold = e.pass(t, resp, said)
	if unsettled {
		a.route.learn(a.req, t.Lane())
	}
	return said, hold
}

// pass gives what an answer says to the budget.
func (e *engine) pass(t *throttle.Ticket, resp *http.Response, said Reading) (hold time.Duration) {
	if said.Refused {
		return t.Refused(throttle.Refusal{
			Policies: said.Policies,
			Reach:    said.Reach,
			Delay:    func(strikes int) time.Duration { return e.coolDown(strikes, said.RetryIn) },
		})
	}
	t.Answered(said.Policies)
	if resp.StatusCode < 500 {
		t.Succeeded()
	}
	return 0
}

// parse reads the header of an answer, in the way that is set for its host.
func (e *engine) parse(req *http.Request, resp *http.Response) Reading {
	now := time.Now()
	if len(e.overrides) > 0 {
		if o, ok := e.overrides[hostname(req.URL)]; ok {
			return Read(resp.StatusCode, o.Parse(resp.Header, now))
		}
	}
	return Read(resp.StatusCode, headers.Parse(resp.Header, now))
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

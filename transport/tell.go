package transport

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport/record"
)

// A sight is what those who are told of an attempt want to know, from before it
// was sent.
type sight struct {
	at    time.Time // when it was sent, if that is recorded
	left  float64   // of the burst, if that is observed
	would error     // why it would have been refused, were this no shadow
}

func (e *engine) look(a *attempt) {
	if e.observe != nil {
		a.left = a.ticket.Left()
	}
	if e.recorder != nil {
		a.at = time.Now()
	}
}

func (e *engine) tell(a *attempt, ev Event) {
	ev.Key, ev.Pattern, ev.Attempt, ev.Shadow = a.route.key, a.route.pattern, a.n, e.shadow
	e.observe(a.req.Context(), ev)
}

func (e *engine) waited(a *attempt) {
	unknown := e.shadow && a.ticket.Cause() != "" // how long for another call
	if e.observe != nil && (a.ticket.Waited() > 0 || unknown) {
		e.tell(a, Event{Kind: EventWaited, Wait: a.ticket.Waited(), Cause: a.ticket.Cause()})
	}
}

// answered tells of an answer. The budget knows of it by now: what the observer
// does is not to look as if the server had taken the time.
func (e *engine) answered(a *attempt, resp *http.Response, said Reading, hold time.Duration) {
	if e.recorder != nil {
		e.record(a, resp.StatusCode, said.Refused)
	}
	if e.observe == nil {
		return
	}
	e.sent(a, result{resp: resp})
	if said.Refused {
		e.tell(a, Event{Kind: EventThrottled, Wait: hold, Status: resp.StatusCode})
	}
	if len(said.Policies) > 0 {
		e.warnOfOthers(a)
	}
}

// failed tells of an attempt without an answer.
func (e *engine) failed(a *attempt, err error) {
	if e.recorder != nil {
		e.record(a, 0, false)
	}
	if e.observe != nil {
		e.sent(a, result{err: err})
	}
}

func (e *engine) sent(a *attempt, r result) {
	ev := r.event(EventSent)
	ev.Wait, ev.Cause, ev.Left = a.ticket.Waited(), a.ticket.Cause(), a.left
	e.tell(a, ev)
}

func (e *engine) gaveUp(a *attempt, last result) {
	bad := last.err != nil || last.refused || last.resp.StatusCode >= 500
	if e.observe != nil && bad {
		e.tell(a, last.event(EventGaveUp))
	}
}

func (r *result) event(kind EventKind) Event {
	ev := Event{Kind: kind, Err: bare(r.err)}
	if r.resp != nil {
		ev.Status = r.resp.StatusCode
	}
	return ev
}

// refusedHere tells of an attempt that is not sent, or would not be.
func (e *engine) refusedHere(a *attempt, err error) {
	cause, wait := held(err)
	if e.observe != nil {
		e.tell(a, Event{Kind: EventRefusedLocally, Err: err, Wait: wait, Cause: cause})
	}
	if e.recorder != nil && !e.shadow {
		l := a.line()
		l.Time, l.Refused = time.Now(), reason(err)
		l.Wait, l.WouldWait = a.ticket.Waited(), wait
		e.recorder.Add(l)
	}
}

// held is what a call that was refused here would have had to wait for, and how
// long.
func held(err error) (throttle.Cause, time.Duration) {
	if we, ok := errors.AsType[*throttle.WaitError](err); ok {
		return we.Cause, we.Wait
	}
	return "", 0
}

// record writes an attempt down that was sent.
func (e *engine) record(a *attempt, status int, refused bool) {
	l := a.line()
	l.Time, l.Status, l.Throttled, l.Failed = a.at, status, refused, status == 0
	switch {
	case a.would != nil:
		_, l.WouldWait = held(a.would)
		l.WouldRefuse = reason(a.would)
	case e.shadow:
		l.WouldWait = a.ticket.Waited()
	default:
		l.Wait = a.ticket.Waited()
	}
	e.recorder.Add(l)
}

func (a *attempt) line() record.Line {
	return record.Line{
		Key: a.route.key, Class: a.route.pattern, Attempt: a.n, Cost: max(1, a.cost),
		Method: cmp.Or(a.req.Method, http.MethodGet),
	}
}

// reason is why a call was refused here, in a word: what it would have had to
// wait for, "never" if no wait would help, "context" if the caller's context
// ended.
func reason(err error) string {
	cause, _ := held(err)
	switch {
	case err == nil || cause != "":
		return string(cause)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return "context"
	}
	return "never"
}

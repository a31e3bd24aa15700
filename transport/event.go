package transport

import (
	"context"
	"errors"
	"time"

	"github.com/headway-go/headway/throttle"
)

// An Event is something that happened to a call. It holds nothing of the
// request but the key of its budget and the pattern of its limits.
type Event struct {
	Kind    EventKind
	Key     string        // of the budget
	Pattern string        // of the limits set by hand, if any
	Attempt int           // 1 for the first
	Wait    time.Duration // see Kind
	Status  int           // of the answer, if there is one
	Err     error         // of the attempt, if it failed, or of the local refusal
}

// An EventKind says what happened.
type EventKind string

// What may happen to a call.
const (
	// EventWaited: an attempt had to wait for its slot, for Wait. It goes now.
	EventWaited EventKind = "waited"
	// EventRefusedLocally: an attempt was not sent, because of Err. Wait is how
	// long it would have had to wait.
	EventRefusedLocally EventKind = "refused locally"
	// EventThrottled: the server refused, with Status. The calls that it counts
	// together with this one are held back for Wait, or all of the budget, as far
	// as it says.
	EventThrottled EventKind = "throttled"
	// EventRetry: the call will be sent again, after Status or Err. It may have
	// to wait for its slot.
	EventRetry EventKind = "retry"
)

func (e *engine) tell(ctx context.Context, r *route, ev Event) {
	ev.Key, ev.Pattern = r.key, r.pattern
	e.observe(ctx, ev)
}

func (e *engine) waited(ctx context.Context, r *route, attempt int, t *throttle.Ticket) {
	if e.observe != nil && t.Waited() > 0 {
		e.tell(ctx, r, Event{Kind: EventWaited, Attempt: attempt, Wait: t.Waited()})
	}
}

func (e *engine) refusedHere(ctx context.Context, r *route, attempt int, err error) {
	if e.observe == nil {
		return
	}
	ev := Event{Kind: EventRefusedLocally, Attempt: attempt, Err: err}
	if we, ok := errors.AsType[*throttle.WaitError](err); ok {
		ev.Wait = we.Wait
	}
	e.tell(ctx, r, ev)
}

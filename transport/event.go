package transport

import (
	"time"

	"github.com/headway-go/headway/throttle"
)

// An Event is something that happened to a call. It holds nothing of the
// request but the key of its budget and the pattern of its limits.
type Event struct {
	Kind    EventKind
	Key     string         // of the budget
	Pattern string         // of the limits set by hand, if any
	Attempt int            // 1 for the first
	Shadow  bool           // the Transport is in shadow mode: it only would have waited, or been refused
	Wait    time.Duration  // see Kind
	Cause   throttle.Cause // what the wait is for, if there is one
	Status  int            // of the answer, if there is one
	Err     error          // of the attempt, if it failed, or of the local refusal

	Left  float64        // see EventSent
	Calls int            // see EventLoop
	Rate  float64        // in calls a second: see EventLoop and EventOthers
	Limit throttle.Limit // see EventOthers
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
	// EventSent: an attempt was sent, and answered with Status, or failed with
	// Err. It comes once for each, before what else there is to tell of the
	// answer. Wait is how long it had waited, 0 if not at all. Left is the share of
	// its burst, from 0 to 1, that the limit nearest to its end had left when the
	// call came; 0 if it had to wait for a slot, 1 if there is no limit.
	EventSent EventKind = "sent"
	// EventThrottled: the server refused, with Status. The calls that it counts
	// together with this one are held back for Wait, or all of the budget, as far
	// as it says; none, in shadow mode, if the call went before its slot.
	EventThrottled EventKind = "throttled"
	// EventRetry: the call will be sent again, after Status or Err. It may have
	// to wait for its slot.
	EventRetry EventKind = "retry"
	// EventGaveUp: the call has ended with a refusal of the server, an answer of
	// 500 and above or an error, and is not sent again. Attempt is how often it
	// was sent, Status or Err what the last of them brought.
	EventGaveUp EventKind = "gave up"
)

// What may be wrong with a program.
const (
	// EventLoop: the same call, by its method, its URL and the length of its body,
	// was made Calls times, each right after one of them had ended, at Rate. It is
	// told of the hundredth call, the thousandth and so on. Perhaps a loop has no
	// pause, which a generous limit would hide. The context is that of the call.
	EventLoop EventKind = "loop"
	// EventOthers: somebody else draws on the same budget at the server, at Rate,
	// of Limit, as far as the answers prove it. It is told once a minute, while it
	// lasts.
	EventOthers EventKind = "others"
)

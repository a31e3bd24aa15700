package simulate

import (
	"math"
	"time"
)

// A Strategy decides when the calls of one [Process] leave. It sees what a
// client sees: its own calls and the answers to them.
type Strategy interface {
	// Ask returns when a call may leave. Now or earlier means that it leaves
	// now; later, that Ask is called again then; [Hold], that it is called
	// again once the process has sent or heard something; [Drop], that the
	// call ends unsent.
	Ask(now time.Duration, c *Call) time.Duration

	// Sent tells that a call has left.
	Sent(now time.Duration, c *Call)

	// Answered tells what came of a call, and returns whether it is to be
	// sent again. An Answer with Status 0 means that none came in time.
	Answered(now time.Duration, c *Call, a Answer) (again bool)
}

// Hold is what a [Strategy] returns for a call that has to wait until it is
// told. The calls of a process that are held form a queue, oldest first, with
// those that were sent before at its head. Only the head is asked about, and
// while there is a queue, newcomers join it unasked.
const Hold = Never

// Drop is what a [Strategy] returns for a call that it refuses by itself. The
// call ends with an empty Answer.
const Drop = time.Duration(math.MinInt64)

// DropPause is how long a worker of [Process.Work] rests after a call of its
// was dropped: without any, time would not go on.
const DropPause = 100 * time.Millisecond

// A Call is one call of a client, sent as often as its Strategy says. It is
// used again for another call once it is done: do not keep it.
type Call struct {
	ID     int64 // from 1, in order of Submit within a process
	Cost   int64
	Worker int // whose call it is, as given to Submit

	Made     time.Duration // when it was submitted
	SentAt   time.Duration // when it last left
	Attempts int           // how often it has left
	Asked    int           // how often Ask was called since it last left, without this time

	Due time.Duration // the Strategy's own, 0 at first

	dropped bool
	done    func(*Call, Answer)
	ask     func() // bound once, so that waiting allocates nothing
	lost    func()
}

// Wait returns how long the call waited in the client: from Submit to when it
// last left, retries included.
func (c *Call) Wait() time.Duration { return c.SentAt - c.Made }

package throttle

import "time"

// coldCalls is how many calls may be under way before anything was heard of a
// server: enough for a page that opens with nine calls at once, and few enough
// that a server with a small burst does not refuse a crowd.
const coldCalls = 9

// coldTime is how long a server may take for its first answer before nobody
// waits for it any more.
const coldTime = int64(time.Second)

// Probe makes the first calls of [Budget.Acquire] careful: until the first
// answer, or for a second, no more than ten are under way. It is for budgets of
// servers that may publish their limits, whose tickets come to an end by
// [Ticket.Answered] and [Ticket.Done]. Call it before the first call.
func (b *Budget) Probe() {
	b.lock()
	defer b.unlock()
	b.permits.cold, b.permits.coldEnd = coldCalls, far
}

// warm ends what Probe began, at the first answer or when it is due.
func (b *Budget) warm() {
	b.permits.cold, b.permits.coldEnd = 0, far
}

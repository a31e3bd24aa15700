package throttle

// A Priority orders the calls that wait. Within one priority the first to come
// is the first to go.
type Priority int8

// Of ten calls that go while lower ones wait, one is a lower one, so that none
// waits for ever.
const (
	Low    Priority = -1
	Normal Priority = 0
	High   Priority = 1
)

const classes = 3

// class is the index of a priority: the highest comes first. Anything beyond
// the named ones counts as the nearest of them.
func (p Priority) class() int { return int(High - max(Low, min(High, p))) }

// A waiter is a call that waits in a lane. All but ready is guarded by the
// budget's mutex.
type waiter struct {
	lane  *Lane
	cost  int
	class int
	again bool          // it was let go before
	seq   uint64        // the lowest goes first
	ready chan struct{} // closed when the call may go or err is set

	next, prev *waiter
	queued     bool
	deadline   int64 // when to give up; far if never
	byContext  bool  // the deadline is that of the caller's context
	cause      Cause // what it had to wait for when it came
	counted    bool  // it wants a ticket, and a permit if they are counted
	nested     bool  // its own call holds a permit already
	bound      bool  // its slot is fixed
	slot       int64 // when it goes, once bound
	cell       *cell // that it was charged to
	before     int64 // the TAT that it found
	end        int64 // and the one that it left
	ticket     Ticket
	err        error
}

// A queue is a doubly linked list, so that a waiter in its middle leaves in no
// time. Those who were let go before come first.
type queue struct {
	head, tail *waiter
	cost       int     // of all in it
	again      *waiter // the last of those who were let go before
	againCost  int     // of these
}

func (q *queue) add(w *waiter) {
	if !w.again {
		q.push(w)
		return
	}
	after := q.again
	q.again = w
	q.againCost += w.cost
	if after == q.tail { // also if there is nobody
		q.push(w)
		return
	}
	next := q.head
	if after != nil {
		next = after.next
		after.next = w
	} else {
		q.head = w
	}
	w.prev, w.next, w.queued = after, next, true
	next.prev = w
	q.cost += w.cost
}

// before is the cost of those in the queue that are before a waiter who joins it.
func (q *queue) before(w *waiter) int {
	if w.again {
		return q.againCost
	}
	return q.cost
}

func (q *queue) push(w *waiter) {
	w.prev, w.next, w.queued = q.tail, nil, true
	if q.tail == nil {
		q.head = w
	} else {
		q.tail.next = w
	}
	q.tail = w
	q.cost += w.cost
}

func (q *queue) remove(w *waiter) {
	if w.again {
		q.againCost -= w.cost
		if q.again == w {
			q.again = w.prev
		}
	}
	if w.prev == nil {
		q.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next, w.queued = nil, nil, false
	q.cost -= w.cost
}

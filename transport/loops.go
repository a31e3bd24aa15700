package transport

import (
	"hash/maphash"
	"net/http"
	"sync"
	"time"
)

// A loops watches for calls that are made again and again without a pause. It has
// room for a fixed number of runs of such calls, and knows no more of a call than
// a hash.
type loops struct {
	seed maphash.Seed

	mu   sync.Mutex
	runs [loopRuns]run
}

// A run is the same call, made again right after it ended.
type run struct {
	call  uint64    // a hash
	calls int       // that came right after an end, less those that did not
	tell  int       // at so many it is told of
	first time.Time // when the first of them came
	last  time.Time // when the last came
	busy  int       // how many are under way
	ended time.Time // when one last ended
	ends  int       // after which none came yet
}

const (
	loopRuns  = 256
	loopPause = 100 * time.Millisecond // from the end of a call to the next: a pause
	loopCalls = 100                    // before they are told of
	loopSlow  = 10 * time.Second       // between calls: long polls
	loopGone  = time.Minute            // without a call: another may take the place
)

func newLoops() *loops { return &loops{seed: maphash.MakeSeed()} }

// hash is the same for the same call.
func (l *loops) hash(req *http.Request) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	u := req.URL
	for _, part := range [...]string{req.Method, u.Scheme, u.Host, u.Opaque, u.Path, u.RawPath, u.RawQuery} {
		_, _ = h.WriteString(part) // never fails
		_ = h.WriteByte(0)
	}
	maphash.WriteComparable(&h, req.ContentLength)
	return h.Sum64()
}

// enter notes that a call has come. It returns the length of its run if that is
// to be told of, and since when it goes on.
func (l *loops) enter(call uint64, now time.Time) (calls int, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.runs[call%loopRuns]
	if r.call != call {
		if r.calls > 1 && now.Sub(r.last) < loopGone {
			return 0, now // another run has the place
		}
		*r = run{call: call}
	}
	r.last = now
	r.busy++
	switch {
	case r.ends > 0 && now.Sub(r.ended) < loopPause:
		r.ends--
		r.calls++
	case r.busy > 1 && r.calls > 2:
		r.calls-- // it came beside the others
	default:
		r.begin(now)
	}
	switch {
	case r.calls < r.tell:
		return 0, now
	case now.Sub(r.first) > time.Duration(r.calls)*loopSlow:
		r.begin(now)
		return 0, now
	}
	r.tell *= 10
	return r.calls, r.first
}

func (r *run) begin(now time.Time) { r.calls, r.tell, r.first = 1, loopCalls, now }

// leave notes that a call has ended.
func (l *loops) leave(call uint64) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.runs[call%loopRuns]
	if r.call != call {
		return
	}
	if now.Sub(r.ended) >= loopPause {
		r.ends = 0
	}
	r.busy = max(0, r.busy-1)
	r.ended = now
	r.ends++
}

// enterLoop tells of a call that seems to be one of a loop, and returns what
// leave wants.
func (e *engine) enterLoop(a *attempt) uint64 {
	call, now := e.loops.hash(a.req), time.Now()
	if calls, since := e.loops.enter(call, now); calls > 0 {
		span := max(now.Sub(since), time.Millisecond)
		e.tell(a, Event{Kind: EventLoop, Calls: calls, Rate: float64(calls) / span.Seconds()})
	}
	return call
}

package transport

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/headway-go/headway/throttle"
)

// A pathTable remembers in which lane the calls of a route were shown to be by
// their answers: GitHub's searches, for instance, have a quota of their own. It
// is a tree of path segments, the method last. A call like none before is taken
// to be where most of those next to it are.
//
// It holds paths, which may hold secrets, in memory only.
type pathTable struct {
	mu     sync.RWMutex
	root   pathNode
	nodes  int
	all    *atomic.Int64 // nodes of all tables of the Transport
	closed bool
}

type pathNode struct {
	shown *throttle.Lane // by a call of just this path
	lane  *throttle.Lane // where most calls below are
	votes int            // by how many
	next  map[string]*pathNode
}

// What servers may make us remember of a route, and of all: some 20 MB. What is
// beyond that is taken to be like what is next to it.
const (
	maxPathNodes = 1024
	maxAllPaths  = 1 << 16
	maxPathDepth = 12
)

// laneFor is where a call of the route draws its slots.
func (r *route) laneFor(req *http.Request) *throttle.Lane {
	if !r.split.Load() {
		return r.lane
	}
	lane, _ := r.paths.find(req)
	return lane
}

// acquire waits for a slot. While it does, others may find out that such calls
// are of another lane: then it waits there.
func (r *route) acquire(ctx context.Context, req *http.Request, call throttle.Call) (throttle.Ticket, error) {
	lane := r.laneFor(req)
	ticket, err := lane.Acquire(ctx, call)
	if err != nil || ticket.Waited() == 0 {
		return ticket, err
	}
	if now := r.laneFor(req); now != lane {
		err = ticket.Exchange(ctx, now, call)
	}
	return ticket, err
}

// unsettled reports whether no call like this one was answered before, so that
// its answer shows where they belong, and tells the ticket.
func (r *route) unsettled(req *http.Request, said Reading, t *throttle.Ticket) bool {
	if len(said.Policies) == 0 {
		return false
	}
	if _, shown := r.paths.find(req); shown || !slices.ContainsFunc(said.Policies, throttle.Policy.Binds) {
		return false
	}
	t.Unsettled()
	return true
}

// learn takes in which lane a call was shown to be of.
func (r *route) learn(req *http.Request, lane *throttle.Lane) {
	r.paths.learn(segments(req), lane)
	if lane != r.lane {
		r.split.Store(true)
	}
}

// find returns the lane of a call, and whether a call of just this path has
// shown it.
func (p *pathTable) find(req *http.Request) (lane *throttle.Lane, shown bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := &p.root
	for segment := range segments(req) {
		next := n.next[segment]
		if next == nil {
			return n.lane, false
		}
		n = next
	}
	if n.shown == nil {
		return n.lane, false
	}
	return n.shown, true
}

func (p *pathTable) learn(path iter.Seq[string], lane *throttle.Lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := &p.root
	n.vote(lane)
	for segment := range path {
		next := n.next[segment]
		if next == nil {
			if !p.grow() {
				return
			}
			next = &pathNode{}
			if n.next == nil {
				n.next = make(map[string]*pathNode)
			}
			n.next[strings.Clone(segment)] = next
		}
		n = next
		n.vote(lane)
	}
	n.shown = lane
}

// grow reports whether there is room for one more node.
func (p *pathTable) grow() bool {
	if p.closed || p.nodes >= maxPathNodes {
		return false
	}
	if p.all.Add(1) > maxAllPaths {
		p.all.Add(-1)
		return false
	}
	p.nodes++
	return true
}

// close gives the room back that the table has taken: its route is let go.
func (p *pathTable) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		p.all.Add(-int64(p.nodes))
	}
}

// vote counts a call for where most calls are, after Boyer and Moore.
func (n *pathNode) vote(lane *throttle.Lane) {
	switch {
	case n.lane == lane:
		n.votes++
	case n.votes == 0:
		n.lane, n.votes = lane, 1
	default:
		n.votes--
	}
}

// segments are those of the path of a request, and its method. One that holds a
// digit stands for all such: it is a number, or names one thing of many.
func segments(req *http.Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		depth := 0
		for segment := range strings.SplitSeq(strings.Trim(req.URL.Path, "/"), "/") {
			if strings.ContainsAny(segment, "0123456789") {
				segment = "*"
			}
			if depth++; depth < maxPathDepth && !yield(segment) {
				return
			}
		}
		yield(method(req.Method))
	}
}

// method stands for the method of a request in a path, in which no segment is
// like it.
func method(name string) string {
	switch name {
	case "", http.MethodGet, http.MethodHead:
		return "/GET"
	case http.MethodPost:
		return "/POST"
	case http.MethodPut, http.MethodPatch:
		return "/PUT"
	case http.MethodDelete:
		return "/DELETE"
	}
	return "/"
}

package throttle

import (
	"slices"
	"sync/atomic"
)

// A scope is what a server counts by itself among the calls of a budget, for
// instance the searches of an API whose other calls have a quota of their own.
// What an answer publishes, and a refusal, hold for the calls of its scope
// only. Which these are is learned: the policies of an answer tell the scope of
// its call, by their names. A budget has one, the root, until the answer to a call
// like none before speaks of none of the policies that were published there.
type scope struct {
	budget *Budget
	name   string  // of the policy that it was first known by, or like it; empty for the root
	lanes  []*Lane // those of the budget that are in it

	sent  atomic.Int64 // cost of all that Acquire let go
	ended atomic.Int64 // cost of all that was answered since

	// Guarded by the budget's mutex.
	known    []*known   // what the server published, a policy each
	cells    []*cell    // the limits that were made of it, or of the clock
	staleAt  int64      // when the first of known expires
	cool     coolDown   // after a refusal
	clock    tokenClock // for a server that publishes nothing
	rejected int64      // cost of all that the server refused
	claimed  bool       // who is first in line for its limits has to wait
}

// maxScopes bounds the scopes of a budget. Some servers have one for nearly every
// route; more are names that hold an identifier. What is published beyond them is
// taken to be of the scope that the call was in.
const maxScopes = 128

func (s *scope) init(b *Budget, name string) {
	s.budget, s.name = b, name
	s.cool.until, s.staleAt = fresh, far
}

// scopeOf is the scope that policies speak of which came with the answer to a
// call.
func (b *Budget) scopeOf(t *Ticket, policies []Policy) *scope {
	s := t.lane.scope
	if len(s.known) == 0 || s.speaksOf(policies) {
		return s
	}
	for _, other := range b.scopes {
		if other.speaksOf(policies) {
			return other
		}
	}
	if !t.unsettled || len(b.scopes) >= maxScopes || !slices.ContainsFunc(policies, Policy.Binds) {
		return s
	}
	name := policies[0].Name
	for b.hasScope(name) {
		name += "+"
	}
	return b.newScope(name)
}

// newScope adds a scope. Where nobody may call at all, nobody may call there.
func (b *Budget) newScope(name string) *scope {
	s := &scope{}
	s.init(b, name)
	s.cool.until = b.closedUntil()
	b.scopes = append(b.scopes, s)
	b.twin(&b.main, s) // a scope has a lane, as the root has
	return s
}

func (b *Budget) hasScope(name string) bool {
	return slices.ContainsFunc(b.scopes, func(s *scope) bool { return s.name == name })
}

// speaksOf reports whether one of the policies is known here.
func (s *scope) speaksOf(policies []Policy) bool {
	for i := range policies { // a Policy is large to copy, and this is done for every answer
		if s.knownAs(policies[i].Name) != nil {
			return true
		}
	}
	return false
}

// move puts a call into another scope, as if it had gone there. Of those that
// were answered while it was under way, it is not known which were moved as well:
// perhaps all. Nothing goes while a scope is closed, so that a call which is found
// to be of it then went before the refusal.
func (t *Ticket) move(to *scope) {
	from, n := t.lane.scope, int64(t.cost)
	if from == to {
		return
	}
	meanwhile := from.ended.Load() - n - t.ended
	t.lane = t.budget.twin(t.lane, to)
	t.ended, t.sent = max(0, to.ended.Add(n)-n-meanwhile), to.sent.Add(n)
	if to.cool.on() {
		to.cool.began = t.sent
	}
}

// twin is the lane of the same name in another scope: it has the same limits
// set by hand.
func (b *Budget) twin(l *Lane, s *scope) *Lane {
	if l.scope == s {
		return l
	}
	for _, other := range s.lanes {
		if other.name == l.name {
			return other
		}
	}
	return b.addLane(&Lane{budget: b, scope: s, name: l.name, own: l.own})
}

// twins are the lanes of one name, each in a scope of its own: they share the
// limits set by hand.
func (b *Budget) twins(l *Lane) []*Lane {
	return slices.DeleteFunc(slices.Clone(b.lanes), func(o *Lane) bool { return o.name != l.name })
}

// closedUntil is until when nobody may call, in whatever scope; fresh if
// somebody may.
func (b *Budget) closedUntil() int64 {
	until := far
	for _, s := range b.scopes {
		until = min(until, s.cool.until)
	}
	return until
}

// openAt is when nobody is held back by a cool-down any more; fresh if nobody is.
func (b *Budget) openAt() int64 {
	until := fresh
	for _, s := range b.scopes {
		until = max(until, s.cool.until)
	}
	return until
}

// staleAt is when the first of what was published expires.
func (b *Budget) staleAt() int64 {
	at := far
	for _, s := range b.scopes {
		at = min(at, s.staleAt)
	}
	return at
}

// scopeNamed is the scope of the given name, made if need be.
func (b *Budget) scopeNamed(name string) *scope {
	for _, s := range b.scopes {
		if s.name == name {
			return s
		}
	}
	if len(b.scopes) >= maxScopes {
		return &b.root
	}
	return b.newScope(name)
}

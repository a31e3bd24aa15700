package throttle

import (
	"math"
	"time"
)

// A Saved is what is worth keeping of a budget when a process ends, so that the
// next does not begin with a full bucket that it no longer has. It is plain
// data, and can be written as JSON. It holds no secret beyond what is in the key.
type Saved struct {
	Key          string               `json:"key"`
	At           time.Time            `json:"at"`                     // by the wall clock
	CoolingUntil time.Time            `json:"cooling_until,omitzero"` // zero: there is no cool-down
	Cooling      map[string]time.Time `json:"cooling,omitempty"`      // the same of calls that are counted by themselves, by Scope
	Tokens       map[string][]float64 `json:"tokens,omitempty"`       // of the limits set by hand, by lane
	Published    []SavedPolicy        `json:"published,omitempty"`
}

// A SavedPolicy is a policy as the server published it last, and how many calls
// could have gone at once.
type SavedPolicy struct {
	Policy Policy  `json:"policy"`
	Tokens float64 `json:"tokens"`
	Scope  string  `json:"scope,omitempty"` // which calls it counts, by the name of a policy; empty for most
}

// Save returns what is worth keeping of the budget.
func (b *Budget) Save() Saved {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	s := Saved{Key: b.key, At: time.Now().Round(0), Tokens: map[string][]float64{}}
	s.saveCoolDowns(b, at)
	for _, l := range b.root.lanes { // the others have the limits of their twins
		for _, c := range b.byHandOf(l) {
			s.Tokens[l.name] = append(s.Tokens[l.name], finite(c.level(*b.hold(c), at)))
		}
	}
	for _, part := range b.scopes {
		for _, k := range part.known {
			if k.cell != nil {
				p := k.policy
				if k.cell.end != far {
					p.Reset = time.Duration(max(0, k.cell.end-at)) // it was heard some time ago
				}
				s.Published = append(s.Published, SavedPolicy{p, finite(k.cell.level(*b.hold(k.cell), at)), part.name})
			}
		}
	}
	return s
}

func (s *Saved) saveCoolDowns(b *Budget, at int64) {
	for _, part := range b.scopes {
		switch until := s.At.Add(time.Duration(part.cool.until - at)); {
		case !part.cool.on():
		case part == &b.root:
			s.CoolingUntil = until
		case s.Cooling == nil:
			s.Cooling = map[string]time.Time{part.name: until}
		default:
			s.Cooling[part.name] = until
		}
	}
}

// byHandOf are the limits of a lane of the root that were set by hand.
func (b *Budget) byHandOf(l *Lane) []*cell {
	if l == &b.main {
		return b.byHand
	}
	return l.own
}

// finite is for JSON, which has no infinity.
func finite(v float64) float64 { return max(-1e15, min(v, 1e15)) }

// Restore takes up what was saved, as it has become in the time since then:
// buckets have filled, cool-downs may be over. It is for a budget that was not
// used yet; values that make no sense are passed over. Limits set by hand are not
// saved, but how much of them was left is, for lanes that are made later too.
func (b *Budget) Restore(s Saved) {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	ago := max(0, clamp(int64(time.Since(s.At))))
	b.saved, b.savedAt = s.Tokens, at-ago
	for _, l := range b.lanes {
		b.restoreLane(l)
	}
	for _, p := range s.Published {
		b.restorePolicy(p, at, ago)
	}
	b.restoreCoolDown(&b.root, s.CoolingUntil, at)
	for name, until := range s.Cooling {
		b.restoreCoolDown(b.scopeNamed(name), until, at)
	}
	b.replan(at)
}

func (b *Budget) restoreCoolDown(s *scope, until time.Time, at int64) {
	b.coolDown([]*scope{s}, clamp(at+clamp(int64(time.Until(until)))), at)
}

// restoreLane gives the limits of a lane the levels that were saved.
func (b *Budget) restoreLane(l *Lane) {
	for i, c := range b.byHandOf(l) {
		if tokens := b.saved[l.name]; i < len(tokens) && !math.IsNaN(tokens[i]) {
			b.begin(b.savedAt)
			*b.hold(c) = c.tatFor(tokens[i], b.savedAt)
		}
	}
}

func (b *Budget) restorePolicy(s SavedPolicy, at, ago int64) {
	p := s.Policy.sane()
	if p.Reset -= time.Duration(ago); p.Reset <= 0 {
		p.Remaining, p.Reset = -1, -1 // of a window that is over
	}
	seen := sighting{at: at, from: fresh, to: at, spread: b.spreadShare()}
	plan, ok := p.plan(seen)
	if !ok || math.IsNaN(s.Tokens) {
		return
	}
	scope := b.scopeNamed(s.Scope)
	k := scope.knownAs(p.Name)
	if k == nil {
		k = b.learn(scope)
	}
	k.policy, k.heard, k.reset = p, at, p.Reset
	b.install(scope, k, plan, seen)
	if plan.end == far {
		*b.hold(k.cell) = k.cell.tatFor(s.Tokens, at-ago)
	}
}

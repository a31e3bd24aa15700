package throttle

import "time"

// A State is a budget at one instant, for people to look at.
type State struct {
	Key         string
	Limits      []Limit       // set by hand, then learned
	Learned     int           // how many of Limits, at their end, were learned
	Tokens      []float64     // calls that each of them would let go at once
	Lanes       []LaneState   // classes of calls with limits of their own
	Waiting     int           // calls in the queue
	InFlight    int           // calls under way, where they are capped
	NextSlot    time.Duration // until a new call could go, in the lane where it is latest; 0 if at once
	CoolingLeft time.Duration // until the cool-down ends; 0 if there is none
}

// A LaneState is a lane at one instant.
type LaneState struct {
	Name     string
	Limits   []Limit
	Tokens   []float64
	Waiting  int
	NextSlot time.Duration
}

// State returns the state of the budget now.
func (b *Budget) State() State {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	all := b.common()
	s := State{Key: b.key, Learned: len(all) - len(b.byHand), Waiting: b.waiting, InFlight: b.permits.inUse}
	s.CoolingLeft = time.Duration(max(0, b.openAt()-at))
	s.Limits, s.Tokens = b.levels(all, at)
	for _, l := range b.root.lanes {
		ls := b.laneState(l, at)
		s.NextSlot = max(s.NextSlot, ls.NextSlot)
		if l != &b.main {
			s.Lanes = append(s.Lanes, ls)
		}
	}
	return s
}

func (b *Budget) laneState(l *Lane, at int64) LaneState {
	s := LaneState{Name: l.name}
	s.Limits, s.Tokens = b.levels(l.own, at)
	for _, twin := range b.twins(l) {
		for _, q := range twin.queues {
			for w := q.head; w != nil; w = w.next {
				s.Waiting++
			}
		}
		newcomer := &waiter{lane: twin, cost: 1, class: classes - 1, counted: true}
		due, _ := b.expect(newcomer, b.newcomer(newcomer, at), at)
		s.NextSlot = max(s.NextSlot, time.Duration(max(0, due-at)))
	}
	return s
}

func (b *Budget) levels(cells []*cell, at int64) (limits []Limit, tokens []float64) {
	for _, c := range cells {
		limits = append(limits, c.limit)
		tokens = append(tokens, c.level(b.tat(c), at))
	}
	return limits, tokens
}

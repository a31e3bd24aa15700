package throttle

import "time"

// A State is a budget at one instant, for people to look at.
type State struct {
	Key         string
	Limits      []Limit       // set by hand, then learned
	Tokens      []float64     // calls that each of them would let go at once
	Waiting     int           // calls in the queue
	InFlight    int           // calls under way, where they are counted
	NextSlot    time.Duration // until a new call of cost 1 could go; 0 if at once
	CoolingLeft time.Duration // until the cool-down ends; 0 if there is none
}

// State returns the state of the budget now.
func (b *Budget) State() State {
	b.lock()
	defer b.unlock()
	at := b.settle(now())
	s := State{Key: b.key, Waiting: b.waiting, InFlight: b.permits.inUse}
	w, ahead := &waiter{lane: &b.main, cost: 1}, line{}
	for _, l := range b.lanes {
		for _, q := range l.queues {
			ahead.all += q.cost
		}
	}
	due, _ := b.expect(w, ahead, at)
	s.NextSlot = time.Duration(max(0, due-at))
	s.CoolingLeft = time.Duration(max(0, b.cool.until-at))
	for _, c := range b.shared {
		s.Limits = append(s.Limits, c.limit)
		s.Tokens = append(s.Tokens, c.level(b.tat(c), at))
	}
	return s
}

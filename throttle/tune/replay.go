package tune

import "time"

// A replay is what all clients together came by at each candidate, and what
// the candidates are.
type replay struct {
	interval time.Duration // T
	tau      []int64       // of each candidate, ascending
	worst    []int64       // the longest wait of a call that was refused until it would have conformed
	near     []int64       // calls that conformed, and behind which another would not have
}

func newReplay(interval time.Duration, ladder []int64) replay {
	r := replay{interval: interval, tau: make([]int64, len(ladder)), worst: make([]int64, len(ladder)), near: make([]int64, len(ladder))}
	for i, b := range ladder {
		r.tau[i] = times(b, interval)
	}
	return r
}

// schedules are those of one client at all candidates. As long as nothing is
// refused they are one and the same, whatever the tolerance; and what comes when
// the largest of them has nothing to make up for finds them all at rest. So each
// candidate has a lane of its own only from its first refusal to the next rest.
type schedules struct {
	tat   int64 // of a schedule that refuses nothing
	debt  int64 // the most that tat was ahead of a call
	lanes []lane
	live  int // how many lanes, from the smallest candidate on, differ from tat
}

// A lane is the schedule of one candidate.
type lane struct {
	tat     int64
	refused int64
}

// arrive puts a call to all schedules: one that comes before TAT − τ is refused,
// and else the TAT becomes max(now, TAT) + T. A call of cost n is n calls, all
// or none.
func (s *schedules) arrive(now, cost int64, r *replay) {
	if now >= s.tat {
		s.tat, s.live = now, 0
	}
	before := times(cost-1, r.interval) // what the last unit of the call needs
	span := plus(before, int64(r.interval))
	for i := range s.live {
		s.lanes[i].arrive(now, before, span, i, r)
	}
	debt := plus(s.tat, before) - now
	i := s.live
	for ; i < len(r.tau) && debt > r.tau[i]; i++ {
		s.refuse(i, now, before, r)
	}
	s.live = i
	s.debt = max(s.debt, debt)
	s.tat = plus(s.tat, span)
	for ; i < len(r.tau) && s.tat-now > r.tau[i]; i++ {
		r.near[i]++
	}
}

// refuse gives a candidate that was one with the others a lane of its own.
func (s *schedules) refuse(i int, now, before int64, r *replay) {
	if i == len(s.lanes) {
		s.lanes = append(s.lanes, lane{})
	}
	l := &s.lanes[i]
	l.tat = s.tat
	l.refuse(now, before, i, r)
}

func (l *lane) arrive(now, before, span int64, i int, r *replay) {
	l.tat = max(l.tat, now)
	if plus(l.tat, before)-now > r.tau[i] {
		l.refuse(now, before, i, r)
		return
	}
	l.tat = plus(l.tat, span)
	if l.tat-now > r.tau[i] {
		r.near[i]++
	}
}

// refuse counts a call that does not conform. The wait of one that costs more
// than the burst is none that would help.
func (l *lane) refuse(now, before int64, i int, r *replay) {
	l.refused++
	if before <= r.tau[i] {
		r.worst[i] = max(r.worst[i], plus(l.tat, before)-r.tau[i]-now)
	}
}

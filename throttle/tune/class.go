package tune

import "slices"

// A class is what is kept of all calls of one class.
type class struct {
	name   string
	rule   Rule
	only   *Class // of all calls, if there is only one class of them
	limit  Limit
	gap    int64
	replay replay

	sizes   sizes
	resumed sizes // of them, those after resumeAfter
	loops   sizes // clusters that are not among them
	agents  [numAgents]int64

	totals // at the end
}

// totals are the sums over all clients of a class.
type totals struct {
	clients, calls int64
	regularCalls   int64 // of clients that call at regular intervals
	loopCalls      int64 // of clients that look like loops
	debt           int64 // the most that anybody else was ahead of the limit
	refused        []int64
	loopRefused    []int64 // of them, calls of loops
}

// regularStarts is how many intervals make a client regular.
const regularStarts = 20

// finish adds what one client did. It is the end of its last cluster.
func (c *class) finish(t *track) {
	t.close(c)
	c.clients++
	c.calls += t.calls
	if t.starts.isRegular(regularStarts) {
		c.regularCalls += t.calls
	}
	loop := t.isLoop(c.limit) && c.rule.Type != Batch
	if loop {
		c.loopCalls += t.calls
	} else {
		c.debt = max(c.debt, t.debt)
	}
	for i := range t.lanes {
		c.refused[i] += t.lanes[i].refused
		if loop {
			c.loopRefused[i] += t.lanes[i].refused
		}
	}
}

// mostAgents returns what most of those clients are that say what they are, and
// their share of the calls.
func (c *class) mostAgents() (most agentKind, share float64) {
	var sum int64
	for kind := browserAgent; kind < numAgents; kind++ {
		sum += c.agents[kind]
		if most == noAgent || c.agents[kind] > c.agents[most] {
			most = kind
		}
	}
	return most, float64(c.agents[most]) / float64(max(sum, 1))
}

// typeOf returns the type of client, and how it is known.
func (c *class) typeOf() (t ClientType, why string) {
	switch {
	case c.rule.Type != Guess:
		return c.rule.Type, "it was given"
	case c.only != nil:
		return c.only.Type, c.only.TypeWhy
	}
	return c.guess()
}

// report says what came out. The clusters must be closed.
func (c *class) report(o *Options, ladder []int64) Class {
	if len(c.sizes) == 0 {
		c.sizes, c.loops = c.loops, nil // there is nothing else to go by
	}
	r := Class{
		Name:     c.name,
		Limit:    c.limit,
		Calls:    c.calls,
		Clients:  c.clients,
		Clusters: clustersOf(c.sizes, o.Percentile),
	}
	r.Clusters.Loops = c.loops.count()
	r.Type, r.TypeWhy = c.typeOf()
	r.Advised = burstOf(r.Type.tauOverT(c, o.Percentile), c.limit)
	for i, b := range ladder {
		wanted := b == r.Advised.TauOverT || slices.Contains(o.Candidates, b)
		if all := len(r.Candidates); all > 0 && r.Candidates[all-1].Rejected == 0 && !wanted {
			continue // nothing is rejected at a larger one either
		}
		r.Candidates = append(r.Candidates, c.candidate(i, b))
	}
	for i := range r.Candidates {
		if r.Candidates[i].OtherRate <= max(o.CloseToZero, 0) {
			r.Enough = &r.Candidates[i]
			break
		}
	}
	return r
}

func (c *class) candidate(i int, b int64) Candidate {
	others, theirs := c.calls-c.loopCalls, c.refused[i]-c.loopRefused[i]
	if others == 0 {
		others, theirs = c.calls, c.refused[i]
	}
	return Candidate{
		Burst:     burstOf(b, c.limit),
		Rejected:  c.refused[i],
		Rate:      share(c.refused[i], c.calls),
		OtherRate: share(theirs, others),
		NearRate:  share(c.replay.near[i], c.calls),
		WorstWait: Span(c.replay.worst[i]),
		Queue:     Span(max(c.debt-c.replay.tau[i], 0)),
	}
}

// share is 0 of nothing.
func share(part, of int64) float64 { return float64(part) / float64(max(of, 1)) }

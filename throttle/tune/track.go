package tune

import (
	"math"
	"time"
)

// resumeAfter is how long a client is away before it counts as coming back.
const resumeAfter = int64(5 * time.Minute)

// A track is what is kept of the calls of one client, all of them or those of
// one class: the cluster that is under way, how regular they are, and where the
// schedules of all candidates stand. It is constant in the number of calls.
type track struct {
	first, last int64 // of the cluster
	size        int64 // of the cluster: what its calls cost
	calls       int64 // all there were
	resumes     bool  // it came after resumeAfter
	batch       bool  // it has calls that are known to come in batches
	loop        bool  // a cluster was so large that nothing sensible lets it pass
	starts      spacing

	schedules
}

// add counts a call, which does not come before the one in front of it. batch
// says that it is known to be of a batch.
func (t *track) add(now, cost int64, batch bool, c *class) {
	switch {
	case t.calls == 0:
		t.first = now
		t.tat = math.MinInt64
	case now-t.last > c.gap:
		t.close(c)
		t.resumes = now-t.last >= resumeAfter
		t.starts.add(now - t.first)
		t.first, t.size, t.batch = now, 0, false
	}
	t.last = now
	t.size += cost
	t.calls++
	t.batch = t.batch || batch
	t.arrive(now, cost, &c.replay)
}

// close ends the cluster. One of a loop is none that anybody would allow for.
func (t *track) close(c *class) {
	if !t.batch && isFast(t.size, t.last-t.first, c.limit) {
		t.loop = true
		c.loops[t.size]++
		return
	}
	c.sizes[t.size]++
	if t.resumes {
		c.resumed[t.size]++
	}
}

// A spacing keeps the mean and the variance of spans of time, as Welford does.
type spacing struct {
	n, mean, m2 float64
}

func (s *spacing) add(span int64) {
	s.n++
	delta := float64(span) - s.mean
	s.mean += delta / s.n
	s.m2 += delta * (float64(span) - s.mean)
}

// variation returns the standard deviation as a share of the mean.
func (s *spacing) variation() float64 {
	if s.n < 2 || s.mean <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(s.m2/(s.n-1)) / s.mean
}

// isRegular reports whether there were at least n spans, nearly all alike.
func (s *spacing) isRegular(n float64) bool { return s.n >= n && s.variation() <= 0.1 }

package realservers

import (
	"slices"
	"testing"
	"time"
)

var nginxLimits = []nginxLimit{
	{perSecond: 50, burst: 20},
	{perSecond: 50, burst: 20, delay: true},
	{perSecond: 10, burst: 20},
}

var workloads = []workload{backlog, posts, storm}

func TestNginx(t *testing.T) {
	t.Parallel()
	skipIfShort(t)
	url := startNginx(t, nginxLimits)
	var servers []server
	for _, l := range nginxLimits {
		servers = append(servers, l.server(url))
	}
	compare(t, servers)
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	skipIfShort(t)
	var servers []server
	for _, m := range middlewares {
		servers = append(servers, m.server)
	}
	compare(t, servers)
}

func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes most of a minute")
	}
}

// compare lets both strategies do all the work at each server.
func compare(t *testing.T, servers []server) {
	t.Helper()
	var ours, theirs []*trial
	for _, s := range servers {
		for _, w := range workloads {
			ours = append(ours, &trial{server: s, workload: w, strategy: headway})
			theirs = append(theirs, &trial{server: s, workload: w, strategy: byHand})
		}
	}
	runAll(t, slices.Concat(theirs, ours))
	for i, r := range ours {
		t.Run(r.name(), func(t *testing.T) {
			theirs[i].log(t)
			r.log(t)
			r.check(t, &theirs[i].out)
		})
	}
}

func (r *trial) name() string { return r.server.name + "/" + r.workload.name }

func (r *trial) ideal() time.Duration { return r.server.ideal(r.workload.total()) }

func (r *trial) log(t *testing.T) {
	t.Helper()
	t.Logf("%s: %s: refused %d, failed %d, took %.2f s, ideal %.2f s", r.name(), r.strategy.name,
		r.out.refused.Load(), r.out.failed.Load(), r.out.took.Seconds(), r.ideal().Seconds())
	if ideal := r.ideal(); ideal > 0 {
		t.Logf("%.3f of the ideal time", r.out.took.Seconds()/ideal.Seconds())
	}
}

// check is for what headway came to, beside what somebody did by hand. Other
// things that run on a machine cost refusals and time, so that the aim is only
// told, and what fails is what no noise explains.
func (r *trial) check(t *testing.T, byHand *outcome) {
	t.Helper()
	if n := r.out.failed.Load(); n > 0 {
		t.Errorf("%d calls failed, one of them: %v", n, r.out.why.Load())
	}
	got := r.out.refused.Load()
	if aim := r.aim(byHand.refused.Load()); got > aim {
		t.Logf("%d refused, the aim is %d", got, aim)
	}
	if most := r.most(); got > most {
		t.Errorf("%d refused, want at most %d", got, most)
	}
}

// aim is how many are to be refused.
func (r *trial) aim(byHand int64) int64 {
	switch {
	case r.workload.processes > 1:
		return max(byHand/2, r.lost())
	case r.server.publishes:
		return 1
	}
	return max(2, int64(r.workload.total())/50)
}

// lost is how many come too much at once, before anybody can know: they are
// refused whatever is done then.
func (r *trial) lost() int64 {
	if r.workload.processes == 1 {
		return 0
	}
	return int64(max(0, r.workload.total()-r.server.atOnce))
}

// most is the aim and a few where it is reached. Where nothing is published it is
// not yet: of a backlog no more than one flight is to be refused, and two more for
// the noise. It does not go by what was refused by hand, which varies by half.
func (r *trial) most() int64 {
	const slack, stormSlack = 3, 20
	switch {
	case r.workload.processes > 1 && r.server.publishes:
		return 2*r.lost() + stormSlack
	case r.workload.processes > 1:
		return 4*r.lost() + stormSlack
	case r.server.publishes:
		return 1 + slack
	}
	return 3 * int64(r.workload.workers)
}

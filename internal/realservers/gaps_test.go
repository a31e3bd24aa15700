package realservers

import "testing"

// Gaps are where headway is refused more often than it should be. Until then it
// may be so often, and no more.
var gaps = map[string]int64{
	// A bucket runs dry within milliseconds on loopback, with all workers under
	// way: that first flight is refused whole.
	"nginx nodelay 50 a second, burst 20/backlog": 12,
	"nginx nodelay 10 a second, burst 20/backlog": 12,
	"x/time/rate 50 a second, burst 20/backlog":   12,
	"nginx nodelay 50 a second, burst 20/posts":   8,
	"nginx nodelay 10 a second, burst 20/posts":   8,
	"x/time/rate 50 a second, burst 20/posts":     8,

	// After a refusal with no rate known, calls go one more under way with each
	// success: one round trip apart, which is nothing here.
	"nginx nodelay 50 a second, burst 20/storm": 220,
	"nginx delay 50 a second, burst 20/storm":   160,
	"nginx nodelay 10 a second, burst 20/storm": 350,
	"x/time/rate 50 a second, burst 20/storm":   220,
	"throttled 50 a second, burst 20/storm":     160,
}

func TestGapsHaveTrials(t *testing.T) {
	there := map[string]bool{}
	for _, w := range workloads {
		for _, m := range middlewares {
			there[(&trial{server: m.server, workload: w}).name()] = true
		}
		for _, l := range nginxLimits {
			there[(&trial{server: l.server(""), workload: w}).name()] = true
		}
	}
	for name := range gaps {
		if !there[name] {
			t.Errorf("%s: there is no such trial", name)
		}
	}
}

package realservers

import (
	"testing"
	"time"
)

// A gap is where headway does not do yet what it should. Until then it may do
// this much, and no worse. Zero means that there is none.
type gap struct {
	refused int64
	took    time.Duration
}

var gaps = map[string]gap{
	// A bucket runs dry within milliseconds on loopback, with all workers under
	// way: that first flight is refused whole.
	"nginx nodelay 50 a second, burst 20/backlog": {refused: 12},
	"nginx nodelay 10 a second, burst 20/backlog": {refused: 12},
	"x/time/rate 50 a second, burst 20/backlog":   {refused: 12},
	"nginx nodelay 50 a second, burst 20/posts":   {refused: 8},
	"nginx nodelay 10 a second, burst 20/posts":   {refused: 8},
	"x/time/rate 50 a second, burst 20/posts":     {refused: 8},

	// After a refusal with no rate known, calls go one more under way with each
	// success: one round trip apart, which is nothing here.
	"nginx nodelay 50 a second, burst 20/storm": {refused: 220},
	"nginx delay 50 a second, burst 20/storm":   {refused: 160},
	"nginx nodelay 10 a second, burst 20/storm": {refused: 350},
	"x/time/rate 50 a second, burst 20/storm":   {refused: 220},

	// What is left grows between two answers: it is a bucket, and its reset is
	// not the end of a window. It is taken for that.
	"throttled 50 a second, burst 20/backlog": {took: 50 * time.Second},
	"throttled 50 a second, burst 20/posts":   {took: 16 * time.Second},
	"throttled 50 a second, burst 20/storm":   {refused: 160, took: 15 * time.Second},
	"throttled 20 a second, burst 40/backlog": {took: 30 * time.Second},
	"throttled 20 a second, burst 40/posts":   {took: 8 * time.Second},

	// Half of a window is spread over it, and a second more, since its end is
	// published in whole seconds; what was seen of the windows before is not used.
	"httprate 50 in 2s/backlog":   {took: 28 * time.Second},
	"ulule 50 in 2s/backlog":      {took: 25 * time.Second},
	"go-limiter 50 in 2s/backlog": {took: 25 * time.Second},
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

package league

import (
	"fmt"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// storms are processes that were held back by an outage, and all have calls to
// make when it ends. What the outage refuses does not count.
func storms() []Scenario {
	main := storm("resume-storm-50x20", 50, 20)
	main.Targets = []Target{
		atMost("refused_total", 0.7*1000, "3.8 a call (full jitter)"),
		atMost("makespan_ratio", 1.1, ""),
	}
	shared := storm("resume-storm-shared", 50, 20)
	shared.shared = true
	shared.Targets = []Target{atMost("refused_total", 0.01*1000, ""), atMost("makespan_ratio", 1.1, "")}
	return []Scenario{
		main, shared, cold(),
		storm("resume-storm-10x20", 10, 20), storm("resume-storm-1x200", 1, 200),
	}
}

// cold is a storm of calls that are only made when the outage has ended, by
// processes that have not heard of it.
func cold() Scenario {
	s := storm("resume-storm-cold", 50, 20)
	s.About = "50 processes with 20 calls each, made at once at a full token bucket of 50/s, burst 50, of which nothing is known"
	s.from, s.server = 0, bucketOf(50, 50)
	return s
}

const outageEnds = 10 * time.Second

func storm(name string, n, calls int) Scenario {
	all := float64(n * calls)
	return Scenario{
		Name:  name,
		About: fmt.Sprintf("%d processes with %d calls each, made in an outage of 10 s; then a full token bucket of 50/s, burst 50, and Retry-After in whole seconds", n, calls),
		span:  10 * time.Minute, from: outageEnds, network: wan,
		server:   func() simulate.Server { return &outage{Server: bucketOf(50, 50)(), until: outageEnds} },
		publish:  simulate.Publisher{Headers: simulate.HeadersIETFBurst, Retry: simulate.RetrySeconds},
		capacity: all, processes: n, load: atOnce(calls), known: limitOf(50, 50),
		bound: seconds((all-50)/50) + wan.RTT,
	}
}

// An outage refuses everything until it ends.
type outage struct {
	simulate.Server
	until time.Duration
}

func (o *outage) Arrive(at time.Duration, cost int64) simulate.Verdict {
	if at < o.until {
		return o.Peek(at, cost)
	}
	return o.Server.Arrive(at, cost)
}

func (o *outage) Peek(at time.Duration, cost int64) simulate.Verdict {
	if at < o.until {
		return simulate.Verdict{RetryAt: o.until, ResetAt: o.until}
	}
	return o.Server.Peek(at, cost)
}

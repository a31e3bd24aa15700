package league

import (
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// published are one process at a limit that the server publishes.
func published() []Scenario {
	all := []Scenario{saturated("published-saturated", 10, wan), batch()}
	all[0].Targets = []Target{atMost("refused_total", 0, ""), atLeast("utilisation", 0.999, "")}
	return append(all, dashboard(),
		saturated("published-burst-2", 2, wan),
		saturated("published-burst-1", 1, wan),
		saturated("published-rough", 10, rough),
		unclear("published-window", fixedWindow(250, 30*time.Second), simulate.HeadersTrio, limit{250. / 30, 250}),
		unclear("published-sliding", slidingLog(600, time.Minute), simulate.HeadersIETF, limit{10, 600}),
		unclear("published-trio", bucketOf(10, 100), simulate.HeadersTrio, limit{10, 100}),
	)
}

// everything is a server that says its rate, its burst, what is left, and when
// a refused call may come again.
var everything = simulate.Publisher{Headers: simulate.HeadersIETFBurst, Retry: simulate.RetryExact}

func saturated(name string, burst int64, net simulate.Network) Scenario {
	const span = 10 * time.Minute
	known := limitOf(10, burst)
	return Scenario{
		Name:  name,
		About: "one process of 32 workers that never rest, at a token bucket that publishes rate and burst, for 600 s",
		span:  span, server: bucketOf(10, burst), publish: everything, network: net,
		capacity: known.bucket(span), processes: 1, load: saturate(32), known: known,
	}
}

func batch() Scenario {
	return Scenario{
		Name:    "batch",
		About:   "100 calls at once at a token bucket of 1/s, burst 10, that publishes both",
		Targets: []Target{atMost("refused_total", 0, ""), atMost("makespan_ratio", 1.001, "")},
		span:    time.Hour, server: bucketOf(1, 10), publish: everything, network: wan,
		capacity: limitOf(1, 10).bucket(time.Hour), processes: 1, load: atOnce(100), known: limitOf(1, 10),
		bound: 90*time.Second + wan.RTT,
	}
}

func dashboard() Scenario {
	const span = 10 * time.Minute
	return Scenario{
		Name:    "dashboard-cold",
		About:   "nine calls at once every 30 s at 60/min, burst 10, both published, of which nothing is known at first",
		Targets: []Target{atMost("refused_total", 0, ""), atMost("max_wait_s", 0, "")},
		span:    span, server: bucketOf(1, 10), publish: everything, network: wan,
		capacity: limitOf(1, 10).bucket(span), processes: 1, load: bursts(9, 30*time.Second), known: limitOf(1, 10),
	}
}

// unclear are servers whose fields do not say how they count.
func unclear(name string, server func() simulate.Server, fields simulate.Headers, known limit) Scenario {
	const span = 10 * time.Minute
	return Scenario{
		Name:  name,
		About: "one process that never rests, at a server whose fields do not tell a window from a bucket",
		span:  span, server: server, network: wan,
		publish:  simulate.Publisher{Headers: fields, Retry: simulate.RetrySeconds},
		capacity: capacityOf(server(), span), processes: 1, load: saturate(32), known: known,
	}
}

// capacityOf is what a server can admit in a span that is a whole number of its
// windows: a bucket has its burst besides.
func capacityOf(server simulate.Server, span time.Duration) float64 {
	minted := server.Policy().Rate.PerSecond() * span.Seconds()
	if _, ok := server.(*simulate.TokenBucket); ok {
		return float64(server.Policy().Burst) + minted
	}
	return minted
}

func fixedWindow(n int64, per time.Duration) func() simulate.Server {
	return func() simulate.Server { return must(simulate.NewFixedWindow(rateOf(n, per), 0)) }
}

func slidingLog(n int64, per time.Duration) func() simulate.Server {
	return func() simulate.Server { return must(simulate.NewSlidingLog(rateOf(n, per))) }
}

package league

import (
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A Scenario is a server, the processes that call it, and what they have to do.
// It is a plain value; [Scenarios] lists them.
type Scenario struct {
	Name    string
	About   string   // in a sentence
	Targets []Target // for our strategy; none where the scenario is for comparison only

	span     time.Duration // how long it goes on
	from     time.Duration // what happens before does not count
	server   func() simulate.Server
	publish  simulate.Publisher
	network  simulate.Network
	capacity float64 // what the server could admit from `from` to the end of span

	processes int
	load      load
	neighbour func(r *rand.Rand, until time.Duration) simulate.Source

	// known is what a person who read the manual of the API would set by
	// hand: strategies that need such a figure get it.
	known limit
	tell  bool // tell ours, too, since the peers' own experiment did

	threads int  // figures by thread, so many a process; 0: by process
	shared  bool // one schedule for all processes, for strategies that can

	// bound is the least time in which the calls can be done, from `from` on;
	// 0: not measured.
	bound time.Duration
}

// A limit is a rate in calls a second, and how many may go at once.
type limit struct{ rate, burst float64 }

// split is the share of each of n processes.
func (l limit) split(n int) limit {
	return limit{rate: l.rate / float64(n), burst: max(1, l.burst/float64(n))}
}

// bucket is the level at the start and what is minted until the end.
func (l limit) bucket(span time.Duration) float64 { return l.burst + l.rate*span.Seconds() }

const ms = time.Millisecond

// wan is the network of the margin theorem's figures: 50 ms, jitter both ways,
// and one call in a hundred a good deal later.
var wan = simulate.Network{RTT: 50 * ms, Jitter: 5 * ms, Sigma: 1, Spikes: 0.01, Spike: 200 * ms}

// rough is wan with losses, late answers and new connections.
var rough = simulate.Network{
	RTT: 50 * ms, Jitter: 5 * ms, Sigma: 1, Spikes: 0.01, Spike: 200 * ms,
	Late: 0.01, LateBy: time.Second, Loss: 0.005, Handshake: 100 * ms, Reconnect: 0.01,
}

// must is for models whose parameters are in this package.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func rateOf(count int64, per time.Duration) simulate.Rate {
	return simulate.Rate{Count: count, Per: per}
}

// bucketOf makes full token buckets of count calls a second.
func bucketOf(count, size int64) func() simulate.Server {
	return func() simulate.Server { return must(simulate.NewTokenBucket(rateOf(count, time.Second), size)) }
}

func limitOf(count, size int64) limit { return limit{float64(count), float64(size)} }

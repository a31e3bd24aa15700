package limited

import (
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A Choice is something to choose by its name.
type Choice struct{ Name, About string }

// Choose returns itself, for the types that embed it.
func (c Choice) Choose() Choice { return c }

// A Model is a way to keep a limit.
type Model struct {
	Choice

	// Windowed says that the count of a window is all the burst there is.
	Windowed bool

	make maker
}

type maker func(rate simulate.Rate, burst int64) (simulate.Charger, error)

// Models returns all there are.
func Models() []Model {
	return []Model{
		{Choice{"token-bucket", "refills all the time"}, false, bucket(simulate.NewTokenBucket)},
		{Choice{"gcra", "one theoretical arrival time; takes what a token bucket takes"}, false, gcra},
		{Choice{"ticks", "a bucket that gets whole tokens, one by one"}, false, bucket(simulate.NewTickBucket)},
		{Choice{"steps", "a bucket that gets the tokens of a window all at once"}, false, steps},
		{Choice{"leaky-bucket", "fills with calls, and leaks"}, false, bucket(simulate.NewLeakyBucket)},
		{Choice{"fixed-window", "a count that begins anew with each window"}, true, fixedWindow},
		{Choice{"sliding-log", "no more than the count in any window whatever"}, true, window(simulate.NewSlidingLog)},
		{Choice{"sliding-counter", "the count of this window and a share of the last"}, true, window(simulate.NewSlidingCounter)},
	}
}

// New returns a server that keeps the limit, and is at rest. Its error is a
// *[simulate.ParamError].
func (m Model) New(rate simulate.Rate, burst int64) (simulate.Charger, error) {
	return m.make(rate, burst)
}

func bucket[S simulate.Charger](of func(simulate.Rate, int64) (S, error)) maker {
	return func(rate simulate.Rate, burst int64) (simulate.Charger, error) { return of(rate, burst) }
}

func window[S simulate.Charger](of func(simulate.Rate) (S, error)) maker {
	return func(rate simulate.Rate, _ int64) (simulate.Charger, error) { return of(rate) }
}

func gcra(rate simulate.Rate, burst int64) (simulate.Charger, error) {
	g, err := simulate.NewGCRA(time.Second, 0)
	if err != nil {
		return nil, err
	}
	return rated{g, rate}, g.Adjust(0, simulate.Policy{Rate: rate, Burst: burst})
}

// rated tells the rate as it was asked for. A GCRA knows only of its T, rounded up
// to nanoseconds.
type rated struct {
	*simulate.GCRA
	rate simulate.Rate
}

func (r rated) Policy() simulate.Policy {
	return simulate.Policy{Rate: r.rate, Burst: r.GCRA.Policy().Burst}
}

func steps(rate simulate.Rate, burst int64) (simulate.Charger, error) {
	return simulate.NewStepRefill(rate, burst, 0)
}

func fixedWindow(rate simulate.Rate, _ int64) (simulate.Charger, error) {
	return simulate.NewFixedWindow(rate, 0)
}

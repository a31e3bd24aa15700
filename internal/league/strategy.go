package league

import (
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// A Strategy is a way to decide when calls leave. [Strategies] lists them.
type Strategy struct {
	Name  string
	About string // in a sentence, with where it comes from

	// join is called once a run, and what it returns, once for each process.
	join func(*world) func(*client) simulate.Strategy
}

// A client is a process, as its strategy sees it.
type client struct {
	world   *world
	index   int
	process *simulate.Process
	rand    *rand.Rand
}

// known is the share of the limit that the process would be given by hand.
func (c *client) known() limit { return c.world.scenario.known.split(c.world.scenario.processes) }

// alone is for strategies whose processes have nothing in common.
func alone(name, about string, build func(*client) simulate.Strategy) Strategy {
	return Strategy{Name: name, About: about, join: func(*world) func(*client) simulate.Strategy { return build }}
}

// An alarm asks again about the calls of a process that are on hold.
type alarm struct {
	process *simulate.Process
	at      time.Duration
	set     bool
}

// ring sets the alarm, unless it rings earlier, and holds the call.
func (a *alarm) ring(at time.Duration) time.Duration {
	if !a.set || at < a.at {
		a.at, a.set = at, true
		a.process.Site.Loop.At(at, a.wake)
	}
	return simulate.Hold
}

func (a *alarm) wake() {
	if a.process.Site.Loop.Now() >= a.at {
		a.set = false
	}
	a.process.Wake()
}

// seconds converts; a span too long for a Duration is one that does not end.
func seconds(s float64) time.Duration {
	if s*1e9 < float64(simulate.Horizon) {
		return time.Duration(s * 1e9)
	}
	return simulate.Horizon
}

func ok(a simulate.Answer) bool { return a.Status == 200 }

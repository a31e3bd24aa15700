package league

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/throttle/simulate"
)

// byHand are limiters that somebody sets to the limit in the manual, or to his
// process's share of it.
func byHand() []Strategy {
	return []Strategy{
		xrate("x-time-rate", "golang.org/x/time/rate, set by hand to the process's share of the limit", 1, 0),
		xrate("x-time-rate-95", "the same at 95 % of the rate, and a burst of one less", 0.95, 1),
	}
}

func xrate(name, about string, share, less float64) Strategy {
	join := func(w *world) func(*client) simulate.Strategy {
		build := func(l limit) simulate.Strategy {
			burst := max(1, int(l.burst-less))
			return &limiter{lim: rate.NewLimiter(rate.Limit(l.rate*share), burst)}
		}
		if w.scenario.shared {
			one := build(w.scenario.known)
			return func(*client) simulate.Strategy { return one }
		}
		return func(c *client) simulate.Strategy { return build(c.known()) }
	}
	return Strategy{Name: name, About: about, join: join}
}

// A limiter reserves a slot for each attempt. After a refusal it waits for
// Retry-After, if the server said so, before it reserves the next.
type limiter struct{ lim *rate.Limiter }

// start is where virtual time begins for those who keep real time.
var start = time.Unix(2e9, 0)

// Ask keeps the slot in Due, or, as long as there is none, until when not to
// ask for one, below zero.
func (l *limiter) Ask(now time.Duration, c *simulate.Call) time.Duration {
	if c.Due > 0 {
		return c.Due
	}
	if now < -c.Due {
		return -c.Due
	}
	r := l.lim.ReserveN(start.Add(now), int(c.Cost))
	c.Due = now + r.DelayFrom(start.Add(now))
	return c.Due
}

func (l *limiter) Sent(time.Duration, *simulate.Call) {}

func (l *limiter) Answered(now time.Duration, c *simulate.Call, a simulate.Answer) bool {
	c.Due = -now - a.RetryAfter
	return !ok(a)
}

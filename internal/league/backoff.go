package league

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// backoffs send at once, and after a refusal each call waits for itself.
func backoffs() []Strategy {
	return []Strategy{
		alone("full-jitter", "waits at random up to 1 s · 2^n, at most 20 s, before it tries again (AWS architecture blog, constants of the AWS SDKs)",
			func(c *client) simulate.Strategy { return &delayer{rand: c.rand} }),
		alone("retry-after", "waits for as long as Retry-After says, else as full-jitter",
			func(c *client) simulate.Strategy { return &delayer{rand: c.rand, obey: true} }),
		alone("retry-after-jitter", "waits for Retry-After and up to a tenth of it more, else as full-jitter",
			func(c *client) simulate.Strategy { return &delayer{rand: c.rand, obey: true, extra: 0.1} }),
	}
}

type delayer struct {
	rand  *rand.Rand
	obey  bool
	extra float64
}

func (b *delayer) Ask(_ time.Duration, c *simulate.Call) time.Duration { return c.Due }
func (b *delayer) Sent(time.Duration, *simulate.Call)                  {}

func (b *delayer) Answered(now time.Duration, c *simulate.Call, a simulate.Answer) bool {
	if b.obey && a.Has(simulate.SaidRetryAfter) {
		c.Due = now + seconds(a.RetryAfter.Seconds()*(1+b.extra*b.rand.Float64()))
	} else {
		c.Due = now + fullJitter(b.rand, c.Attempts)
	}
	return !ok(a)
}

// fullJitter is the wait before the next attempt.
func fullJitter(r *rand.Rand, attempts int) time.Duration {
	return seconds(min(20, math.Exp2(float64(attempts-1))) * r.Float64())
}

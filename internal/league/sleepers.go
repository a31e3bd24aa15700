package league

import (
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// sleepers are the four strategies of zombocom/rate_throttle_client. Each
// thread sleeps before it calls: longer after a refusal, shorter after a
// success. The least sleep is one interval of the whole limit, and the divisor
// is its burst: 0.8 s and 4500 in their experiment.
func sleepers() []Strategy {
	decreases := []struct {
		name, about string
		decrease    func(s *sleeper, sleep float64, a simulate.Answer) float64
	}{
		{"exp-backoff", "rate_throttle_client's ExponentialBackoff: no sleep before a call, and ·1.2 a refusal", nil},
		{
			"exp-gradual", "rate_throttle_client's ExponentialIncreaseGradualDecrease: an interval less a success",
			func(s *sleeper, _ float64, _ simulate.Answer) float64 { return s.least },
		},
		{
			"exp-proportional", "rate_throttle_client's ExponentialIncreaseProportionalDecrease: 1/burst less a success",
			func(s *sleeper, sleep float64, _ simulate.Answer) float64 { return sleep / s.divisor },
		},
		{
			"exp-remaining", "rate_throttle_client's ExponentialIncreaseProportionalRemainingDecrease: remaining/burst less a success",
			func(s *sleeper, sleep float64, a simulate.Answer) float64 {
				return sleep * float64(a.Remaining) / s.divisor
			},
		},
	}
	var all []Strategy
	for _, d := range decreases {
		all = append(all, alone(d.name, d.about, func(c *client) simulate.Strategy {
			known := c.world.scenario.known
			return &sleeper{rand: c.rand, least: 1 / known.rate, divisor: known.burst, decrease: d.decrease, sleep: map[int]float64{}}
		}))
	}
	return all
}

// A sleeper keeps the sleep of each thread. Without a decrease, each call
// begins anew.
type sleeper struct {
	rand           *rand.Rand
	least, divisor float64
	decrease       func(s *sleeper, sleep float64, a simulate.Answer) float64
	sleep          map[int]float64 // in seconds, by worker
}

func (s *sleeper) Ask(now time.Duration, c *simulate.Call) time.Duration {
	if c.Asked > 0 || s.decrease == nil && c.Attempts == 0 {
		return now
	}
	return now + seconds(s.sleep[c.Worker]*(1+0.1*s.rand.Float64()))
}

// Sent is after the sleep.
func (s *sleeper) Sent(_ time.Duration, c *simulate.Call) {
	if c.Attempts > 1 {
		s.sleep[c.Worker] *= 1.2
	}
}

func (s *sleeper) Answered(_ time.Duration, c *simulate.Call, a simulate.Answer) bool {
	sleep := s.sleep[c.Worker]
	switch {
	case s.decrease == nil && c.Attempts == 1:
		sleep = s.least
	case !ok(a) && s.decrease != nil:
		sleep += s.least
	case ok(a) && s.decrease != nil:
		sleep = max(0, sleep-s.decrease(s, sleep, a))
	}
	s.sleep[c.Worker] = sleep
	return !ok(a)
}

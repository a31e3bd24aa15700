package league

import (
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// adaptives learn a rate from refusals alone.
func adaptives() []Strategy {
	return []Strategy{
		alone("aws-adaptive", "adaptive mode of the AWS SDKs: CUBIC, and the standard retry bucket", newAWSAdaptive),
		alone("aimd", "AIMD as in Nall.RateLimiting.Adaptive: ·0.7 a refusal, +4 % of the limit every 10 s, Retry-After", newAIMD),
		alone("atb", "the adaptive token bucket of arXiv 2510.04516: ·1.2 a success, ÷2 a refusal", newATB),
	}
}

// A meter is a token bucket whose rate changes.
type meter struct {
	rate, size, level float64
	last              time.Duration
}

func (m *meter) refill(now time.Duration) {
	m.level = min(m.size, m.level+m.rate*(now-m.last).Seconds())
	m.last = now
}

// take takes a token, or returns when there will be one.
func (m *meter) take(now time.Duration) (at time.Duration) {
	m.refill(now)
	if m.level >= 1 {
		m.level--
		return now
	}
	return now + seconds((1-m.level)/m.rate) + 1
}

// aimd is additive increase and multiplicative decrease with the figures of
// Nall's demo: 120 a minute more every 10 s where the limit is 3000, in equal
// parts by the number of processes. It starts at the process's share of the
// limit, and keeps within four times that; its authors do not say.
type aimd struct {
	alarm
	meter
	step, highest float64
	raised, cut   time.Duration // when the rate changed last
	until         time.Duration // Retry-After holds the process until then
}

const aimdEvery = 10 * time.Second

func newAIMD(c *client) simulate.Strategy {
	known := c.known()
	return &aimd{
		alarm: alarm{process: c.process},
		meter: meter{rate: known.rate, size: max(1, known.rate), level: 1},
		step:  0.04 * known.rate, highest: 4 * known.rate, cut: -1,
	}
}

func (s *aimd) Ask(now time.Duration, c *simulate.Call) time.Duration {
	s.refill(now)
	for now >= s.raised+aimdEvery {
		s.raised += aimdEvery
		s.rate = min(s.rate+s.step, s.highest)
	}
	if now < s.until {
		return s.ring(s.until)
	}
	if at := s.take(now); at > now {
		return s.ring(at)
	}
	return now
}

func (s *aimd) Sent(time.Duration, *simulate.Call) {}

func (s *aimd) Answered(now time.Duration, c *simulate.Call, a simulate.Answer) bool {
	if ok(a) {
		return false
	}
	s.until = max(s.until, now+a.RetryAfter)
	if a.Status == 429 && c.SentAt > s.cut { // refusals of one flight count once
		s.refill(now)
		s.rate = max(0.7*s.rate, s.step)
		s.cut, s.raised = now, now
	}
	return true
}

// atb is the adaptive token bucket, with its authors' settings: it starts at
// the whole rate of the server, each client for itself, with one token, and
// holds 40 where the server holds 50. A client has one call in flight.
type atb struct {
	alarm
	meter
}

func newATB(c *client) simulate.Strategy {
	known := c.world.scenario.known
	return &atb{
		alarm: alarm{process: c.process},
		meter: meter{rate: known.rate, size: max(1, 0.8*known.burst), level: 1},
	}
}

func (s *atb) Ask(now time.Duration, _ *simulate.Call) time.Duration {
	if s.process.InFlight() > 0 {
		return simulate.Hold
	}
	if at := s.take(now); at > now {
		return s.ring(at)
	}
	return now
}

func (s *atb) Sent(time.Duration, *simulate.Call) {}

func (s *atb) Answered(now time.Duration, _ *simulate.Call, a simulate.Answer) bool {
	s.refill(now)
	switch {
	case ok(a):
		s.rate = min(max(s.rate+0.01, s.rate*1.2), 1e9)
	case a.Status == 429:
		s.rate, s.level = max(0.01, s.rate/2), 0
	}
	return !ok(a)
}

package league

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// awsAdaptive is the adaptive mode of the AWS SDKs, with the constants of
// aws-sdk-go-v2 and of "Retry Behavior 2.1": a token bucket whose rate follows
// CUBIC, off until the first refusal, and in front of each retry a full-jitter
// wait. The league gives a call any number of attempts. Where the retry bucket
// is empty the SDK would give up: the caller is taken to make the call anew.
type awsAdaptive struct {
	alarm
	rand  *rand.Rand
	pace  cubic
	quota float64 // tokens left for retries
}

const (
	awsQuota        = 500
	awsQuotaRefusal = 5  // a retry after a refusal
	awsQuotaFault   = 14 // any other
)

func newAWSAdaptive(c *client) simulate.Strategy {
	return &awsAdaptive{alarm: alarm{process: c.process}, rand: c.rand, quota: awsQuota}
}

func (s *awsAdaptive) Ask(now time.Duration, c *simulate.Call) time.Duration {
	if now < c.Due {
		return c.Due
	}
	if wait := s.pace.take(now.Seconds()); wait > 0 {
		return s.ring(now + seconds(wait) + 1)
	}
	return now
}

func (s *awsAdaptive) Sent(time.Duration, *simulate.Call) {}

func (s *awsAdaptive) Answered(now time.Duration, c *simulate.Call, a simulate.Answer) bool {
	refused := a.Status == 429
	s.pace.update(now.Seconds(), refused)
	if ok(a) {
		back := 1.0
		if c.Attempts > 1 {
			back = awsQuotaRefusal // what the retry that succeeded had cost
		}
		s.quota = min(awsQuota, s.quota+back)
		return false
	}
	price, base := float64(awsQuotaFault), 0.05
	if refused {
		price, base = awsQuotaRefusal, 1
	}
	if s.quota >= price {
		s.quota -= price
		c.Due = now + seconds(min(20, base*math.Exp2(float64(c.Attempts-1)))*s.rand.Float64())
	}
	return true
}

// cubic is the rate limiter of adaptive mode. Times are in seconds.
type cubic struct {
	on                       bool
	tokens, fill, refilled   float64
	measured, counted, since float64 // requests a second, and what they are measured by
	highest, throttled       float64 // the rate at the last refusal, and when that was
}

const (
	cubicSmooth = 0.8
	cubicBeta   = 0.7
	cubicScale  = 0.4
	cubicLeast  = 0.5
)

// take returns how long to wait, or takes a token and returns 0.
func (c *cubic) take(now float64) (wait float64) {
	if !c.on {
		return 0
	}
	c.refill(now)
	if c.tokens < 1 {
		return (1 - c.tokens) / c.fill
	}
	c.tokens--
	return 0
}

func (c *cubic) refill(now float64) {
	c.tokens = min(max(c.fill, 1), c.tokens+(now-c.refilled)*c.fill)
	c.refilled = now
}

// update hears the answer to a request.
func (c *cubic) update(now float64, refused bool) {
	c.measure(now)
	var rate float64
	if refused {
		c.highest = c.measured
		if c.on {
			c.highest = min(c.measured, c.fill)
		}
		c.throttled, c.on = now, true
		rate = c.highest * cubicBeta
	} else {
		plateau := math.Cbrt(c.highest * (1 - cubicBeta) / cubicScale)
		rate = cubicScale*math.Pow(now-c.throttled-plateau, 3) + c.highest
	}
	c.refill(now)
	c.fill = max(cubicLeast, min(rate, 2*c.measured))
	c.tokens = min(c.tokens, max(c.fill, 1))
}

// measure counts requests in spans of half a second or more.
func (c *cubic) measure(now float64) {
	c.counted++
	if slot := math.Floor(now*2) / 2; slot > c.since {
		c.measured = c.counted/(slot-c.since)*cubicSmooth + c.measured*(1-cubicSmooth)
		c.counted, c.since = 0, slot
	}
}

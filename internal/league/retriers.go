package league

import (
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// retriers send everything at once.
func retriers() []Strategy {
	return []Strategy{
		alone("none", "sends at once, and never again", func(*client) simulate.Strategy { return sender{} }),
		alone("retry", "sends at once, and again at once until it is admitted",
			func(*client) simulate.Strategy { return sender{again: true} }),
	}
}

type sender struct{ again bool }

func (s sender) Ask(now time.Duration, _ *simulate.Call) time.Duration { return now }
func (s sender) Sent(time.Duration, *simulate.Call)                    {}
func (s sender) Answered(_ time.Duration, _ *simulate.Call, a simulate.Answer) bool {
	return s.again && !ok(a)
}

package proxy

import (
	"log"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/throttle"
)

// notices are lines for an operator. Each is shown once a minute at most, so
// that a thousand calls with one trouble are one line.
type notices struct {
	log  *log.Logger
	seen *throttle.Keyed
}

func newNotices(l *log.Logger) notices {
	return notices{l, &throttle.Keyed{
		Max: maxKeys,
		New: func(string) *throttle.Budget {
			b := &throttle.Budget{}
			_ = b.SetLimits(throttle.Limit{Rate: rate.Every(time.Minute)}) // a limit as good as any
			return b
		},
	}}
}

// say shows a line about a key, unless it was shown a moment ago. Key and text
// must hold no secret.
func (n notices) say(key, text string) {
	key = printable(key)
	if n.seen.Budget(key + "\n" + text).Allow() {
		n.log.Printf("%s: %s", key, text)
	}
}

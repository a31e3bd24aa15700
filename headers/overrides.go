package headers

import (
	"net/http"
	"time"
)

// Overrides holds what cannot be told from the fields of one server, and is
// known from its documentation. The zero Overrides changes nothing. It may be
// shared as long as nobody writes to it.
type Overrides struct {
	// ResetUnit is what a bare number in a reset field counts, for instance
	// [time.Millisecond]. Zero: what the name of the field says, else seconds.
	// A number that would be more than 366 days stays a Unix time. It has no
	// bearing on the IETF fields and on Retry-After, whose units are fixed.
	ResetUnit time.Duration
	// Window is the window of every policy that has a limit but publishes no
	// window. Zero: unknown.
	Window time.Duration
	// Burst is the capacity of every policy that publishes none.
	Burst Opt[float64]
	// ByName replaces the window and the burst of the policies with a name,
	// published or not. Their zero fields replace nothing.
	ByName map[string]Shape
}

// A Shape is what [Overrides] says about one policy.
type Shape struct {
	Window time.Duration
	Burst  Opt[float64]
}

// Parse is [Parse] with the overrides applied.
func (o Overrides) Parse(h http.Header, now time.Time) Result {
	res := parse(h, now, o.ResetUnit, nil)
	o.apply(res.Policies)
	return res
}

func (o *Overrides) apply(policies []Policy) {
	for i := range policies {
		p := &policies[i]
		if p.Limit.OK && p.Window == 0 {
			p.Window = max(o.Window, 0)
		}
		if !p.Burst.OK {
			p.Burst = o.Burst
		}
		shape := o.ByName[p.Name]
		if shape.Window > 0 {
			p.Window = shape.Window
		}
		if shape.Burst.OK {
			p.Burst = shape.Burst
		}
	}
}

package transport

import (
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
)

// A Reading is what a [Transport] makes of an answer.
type Reading struct {
	Policies []throttle.Policy // those that count calls
	Refused  bool              // the server did not act, because of a limit
	RetryIn  time.Duration     // when it wants to be called again; 0 if it does not say
	Reach    throttle.Reach    // whom a refusal concerns
}

// Read says what a Transport without a Throttled of its own makes of an answer
// with the given status, whose header said so much. It is for tools that show
// or simulate what a Transport would do.
func Read(status int, said headers.Result) Reading {
	r := Reading{Policies: policies(said.Policies), RetryIn: said.RetryAfter.V}
	switch status {
	case http.StatusNotModified:
		r.Policies = nil // a cache may have sent them, as they were a day ago
	case http.StatusTooManyRequests:
		r.Refused = true
	case http.StatusServiceUnavailable:
		r.Refused = said.RetryAfter.OK
	case http.StatusForbidden:
		r.Refused = said.RetryAfter.OK || usedUp(said.Policies)
	}
	if said.Global.OK {
		r.Reach = throttle.ReachLocal
		if said.Global.V {
			r.Reach = throttle.ReachGlobal
		}
	}
	if said.RetryAfter.OK {
		return r // it wins over any reset
	}
	for _, p := range said.Policies {
		if isUsedUp(p) && p.Reset.OK {
			r.RetryIn = max(r.RetryIn, p.Reset.V)
		}
	}
	return r
}

func isUsedUp(p headers.Policy) bool { return p.Remaining.OK && p.Remaining.V == 0 }

// usedUp reports whether nothing is left of a policy: then a 403 is a refusal,
// as GitHub's is, and no matter of permissions.
func usedUp(from []headers.Policy) bool { return slices.ContainsFunc(from, isUsedUp) }

func policies(from []headers.Policy) []throttle.Policy {
	var out []throttle.Policy
	for _, p := range from {
		if p.Unit != "requests" && p.Unit != "concurrency" {
			continue
		}
		q := throttle.Policy{
			Concurrent: p.Unit == "concurrency",
			Name:       identity(p, out),
			Limit:      p.Limit.V,
			Window:     p.Window,
			Burst:      p.Burst.V,
			Remaining:  p.Remaining.Or(-1),
			Reset:      p.Reset.Or(-1),
		}
		if p.Burst.OK || p.Kind == headers.Rate || p.Kind == headers.Bucket {
			q.Burst = max(1, q.Burst) // none beyond the rate is one call at a time
		}
		if p.Limit.OK && p.Limit.V == 0 && p.Window > 0 {
			q.Limit, q.Burst = 1, 1 // nothing is allowed: one call a window asks whether it is now
		}
		out = append(out, q)
	}
	return out
}

// identity tells the policies of one key apart, in this answer and the next.
func identity(p headers.Policy, taken []throttle.Policy) string {
	id := p.Name
	if p.PartitionKey != "" {
		id += "\x00" + p.PartitionKey
	}
	if id == "" && p.Window > 0 {
		id = p.Window.String()
	}
	for slices.ContainsFunc(taken, func(t throttle.Policy) bool { return t.Name == id }) {
		id += "+"
	}
	return id
}

package throttle

import (
	"math/rand/v2"
	"testing"
)

// Whatever the order in which calls come to a server and answers come back, and
// whichever answers say nothing, no more is taken to be left than is.
func TestFlightIsNeverTooHopeful(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	hopeful := 0 // how often it knew more than one answer tells
	for range 3000 {
		var f flight
		var sent, ended, remaining int64 = 0, 0, 60
		type call struct {
			ticket  Ticket
			came    bool
			answers int64
		}
		var calls []*call
		for range 100 {
			i := 0
			if len(calls) > 0 {
				i = r.IntN(len(calls))
			}
			switch {
			case len(calls) == 0 || sent < 50 && r.IntN(3) == 0:
				cost := 1 + r.IntN(2)
				sent += int64(cost)
				calls = append(calls, &call{ticket: Ticket{cost: cost, sent: sent, ended: ended}})
			case !calls[i].came:
				remaining -= int64(calls[i].ticket.cost)
				calls[i].came, calls[i].answers = true, remaining
			default:
				c := calls[i]
				calls = append(calls[:i], calls[i+1:]...)
				ended += int64(c.ticket.cost)
				if r.IntN(8) == 0 {
					continue // it failed, or says nothing of the policy
				}
				underWay := int64(0)
				for _, c := range calls {
					if !c.came {
						underWay += int64(c.ticket.cost)
					}
				}
				got := f.leaves(float64(c.answers), &c.ticket, sent)
				if got > float64(max(0, remaining-underWay)) {
					t.Fatalf("%v are left, it says %v", remaining-underWay, got)
				}
				if alone := c.answers - (sent - c.ticket.ended - int64(c.ticket.cost)); got > float64(max(0, alone)) {
					hopeful++
				}
			}
		}
	}
	if hopeful == 0 {
		t.Error("it never knew more than one answer tells")
	}
}

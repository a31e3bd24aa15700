package league

import (
	"math/rand/v2"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/simulate"
)

// ours are the schedule of package throttle, as the Transport drives it with
// its defaults, but for the bounds on waits and attempts: here it has none, so
// that what is used can be compared.
func ours() []Strategy {
	return []Strategy{
		{
			"headway-blind", "headway, told nothing: whatever the server publishes is passed over, but for Retry-After",
			func(w *world) func(*client) simulate.Strategy { return separate(w, true) },
		},
		{
			"headway-shared", "headway, with one schedule for all processes",
			func(w *world) func(*client) simulate.Strategy { return together(w) },
		},
		{
			"headway", "the schedule of this module, one for each process",
			func(w *world) func(*client) simulate.Strategy {
				if w.scenario.shared {
					return together(w)
				}
				return separate(w, false)
			},
		},
	}
}

// separate gives each process a schedule of its own.
func separate(w *world, blind bool) func(*client) simulate.Strategy {
	return func(c *client) simulate.Strategy { return newHouse(w, c.rand, blind).join(c) }
}

// together gives one schedule to all.
func together(w *world) func(*client) simulate.Strategy {
	house := newHouse(w, w.rand(forStrategy, w.scenario.processes), false)
	return func(c *client) simulate.Strategy { return house.join(c) }
}

// A house is one schedule and the processes that live by it.
type house struct {
	loop    *simulate.Loop
	rand    *rand.Rand
	budget  *throttle.Budget
	blind   bool
	members []*headway
	wakeAt  time.Duration // the next wake that is set; the past if there is none
}

func newHouse(w *world, r *rand.Rand, blind bool) *house {
	h := &house{loop: w.loop, rand: r, blind: blind, budget: &throttle.Budget{}, wakeAt: -1}
	if l := w.scenario.known; w.scenario.tell && !blind {
		// Nothing has gathered in it yet: their own clients begin just as slowly.
		h.budget = must(throttle.NewBudget(throttle.Limit{Rate: rate.Limit(l.rate), Burst: int(l.burst), Spent: int(l.burst) - 1}))
	}
	h.budget.Probe()
	h.budget.DrawWith(r.Float64)
	return h
}

func (h *house) join(c *client) *headway {
	m := &headway{house: h, process: c.process, tickets: map[int64]*throttle.Ticket{}}
	h.members = append(h.members, m)
	return m
}

// first is whose turn it is: the process whose next call was made first.
func (h *house) first() *headway {
	var first *headway
	for _, m := range h.members {
		if m.head != nil && (first == nil || m.head.Made < first.head.Made) {
			first = m
		}
	}
	return first
}

// wake asks again about the call whose turn it is.
func (h *house) wake() {
	if m := h.first(); m != nil {
		m.process.Wake()
	}
}

// wakeAfter sets a wake, unless one that comes earlier is set.
func (h *house) wakeAfter(d time.Duration) {
	now := h.loop.Now()
	if h.wakeAt <= now || now+d < h.wakeAt {
		h.wakeAt = now + d
		h.loop.At(h.wakeAt, h.wake)
	}
}

// wakeOthers is for when something has happened that another process of the
// house does not see.
func (h *house) wakeOthers() {
	if len(h.members) > 1 {
		h.loop.At(h.loop.Now(), h.wake)
	}
}

// headway is one process.
type headway struct {
	house   *house
	process *simulate.Process
	head    *simulate.Call             // the call that is next, if it has to wait
	tickets map[int64]*throttle.Ticket // of the calls under way
}

// Ask is as the Transport acquires a ticket.
func (m *headway) Ask(now time.Duration, c *simulate.Call) time.Duration {
	if now < c.Due {
		return c.Due
	}
	h := m.house
	m.head = c
	if h.first() != m {
		return simulate.Hold
	}
	at := start.Add(now)
	ticket, next, ok := h.budget.TryAt(at, throttle.Call{Cost: int(c.Cost)})
	if !ok {
		if !next.IsZero() {
			h.wakeAfter(next.Sub(at))
		}
		return simulate.Hold
	}
	m.head = nil
	m.tickets[c.ID] = &ticket
	h.wakeOthers()
	return now
}

// Sent implements [simulate.Strategy].
func (m *headway) Sent(time.Duration, *simulate.Call) {}

// Answered tells the schedule what came of a call, in the Transport's order.
func (m *headway) Answered(now time.Duration, c *simulate.Call, a simulate.Answer) bool {
	at, t := start.Add(now), m.tickets[c.ID]
	delete(m.tickets, c.ID)
	defer m.house.wakeOthers()
	defer t.DoneAt(at)
	if a.Status == 0 {
		t.AnsweredAt(at, nil)
		c.Due = now + m.house.delay(c.Attempts-1, 0)
		return true
	}
	if ok(a) {
		t.AnsweredAt(at, m.house.policies(a))
		t.SucceededAt(at)
		return false
	}
	t.RefusedAt(at, throttle.Refusal{
		Policies: m.house.policies(a),
		Delay:    func(strikes int) time.Duration { return m.house.delay(strikes-1, m.house.hint(a)) },
	})
	return true
}

// policies are what an answer publishes, in the plain values of the schedule.
func (h *house) policies(a simulate.Answer) []throttle.Policy {
	if h.blind || a.Said&^simulate.SaidRetryAfter == 0 {
		return nil
	}
	p := throttle.Policy{Remaining: -1, Reset: -1}
	if a.Has(simulate.SaidLimit) {
		p.Limit = float64(a.Limit)
	}
	if a.Has(simulate.SaidWindow) {
		p.Name, p.Window = "default", a.Window // a server of the IETF fields names its policy
	}
	if a.Has(simulate.SaidBurst) {
		p.Burst = float64(a.Burst)
	}
	if a.Has(simulate.SaidRemaining) {
		p.Remaining = float64(a.Remaining)
	}
	if a.Has(simulate.SaidReset) {
		p.Reset = a.Reset
	}
	return []throttle.Policy{p}
}

// hint is when the server wants to be called again, 0 if it does not say.
func (h *house) hint(a simulate.Answer) time.Duration {
	switch {
	case a.Has(simulate.SaidRetryAfter):
		return a.RetryAfter
	case !h.blind && a.Has(simulate.SaidRemaining|simulate.SaidReset) && a.Remaining == 0:
		return a.Reset
	}
	return 0
}

// delay is [backoff.Policy.Delay] of the zero Policy, drawn from the random
// numbers of the run.
func (h *house) delay(n int, hint time.Duration) time.Duration {
	lo, hi := backoff.Policy{}.Bounds(n)
	d := h.draw(lo, hi)
	if hint <= 0 {
		return d
	}
	extra := min(time.Duration(backoff.DefaultHintJitter*float64(hint)), backoff.DefaultMax)
	return max(d, h.draw(hint, hint+extra))
}

func (h *house) draw(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(h.rand.Int64N(int64(hi-lo)+1))
}

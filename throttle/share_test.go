package throttle

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Several budgets that know nothing of each other draw on one bucket, of which
// each answer says what is left.
func shareOut(t *testing.T, parties int, span time.Duration, seed uint64) (through []int, refused int) {
	t.Helper()
	start := time.Now()
	server := &toyBucket{rate: 10, size: 40, level: 40, at: start}
	budgets := make([]*Budget, parties)
	through = make([]int, parties)
	next := make([]time.Time, parties)
	for i := range budgets {
		budgets[i] = &Budget{}
		budgets[i].DrawWith(rand.New(rand.NewPCG(uint64(i), seed)).Float64)
	}
	for at := start; at.Before(start.Add(span)); at = at.Add(time.Millisecond) {
		for i, b := range budgets {
			if at.Before(next[i]) {
				continue
			}
			ticket, when, ok := b.TryAt(at, Call{})
			if !ok {
				next[i] = when
				continue
			}
			ok = server.take(at)
			said := []Policy{{Limit: 10, Window: time.Second, Burst: 40, Remaining: math.Floor(server.level), Reset: -1}}
			if ok {
				ticket.AnsweredAt(at, said)
				through[i]++
				ticket.SucceededAt(at)
			} else {
				refused++
				ticket.RefusedAt(at, Refusal{Policies: said, Delay: func(int) time.Duration { return 100 * time.Millisecond }})
			}
			ticket.DoneAt(at)
		}
	}
	return through, refused
}

// All of the budget is used, nearly nothing is refused, and the shares are
// equal: in the mean of several runs, and nearly so in each.
func TestSharesAreEqual(t *testing.T) {
	const seeds = 8
	for _, parties := range []int{1, 2, 5} {
		mean := make([]float64, parties)
		for seed := range uint64(seeds) {
			through, refused := shareOut(t, parties, 10*time.Minute, seed)
			sum, squares := 0.0, 0.0
			for _, n := range through {
				sum += float64(n)
				squares += float64(n) * float64(n)
			}
			if used := sum / 6040; used < 0.99 || float64(refused)/sum > 0.02 {
				t.Errorf("%d parties: %.1f %% used, %d refused", parties, 100*used, refused)
			}
			if jain := sum * sum / (float64(parties) * squares); jain < 0.99 {
				t.Errorf("%d parties: %v, a Jain index of %.4f", parties, through, jain)
			}
			for i, n := range through {
				mean[i] += float64(n) * float64(parties) / sum / seeds
			}
		}
		for i, share := range mean {
			if math.Abs(share-1) > 0.1 {
				t.Errorf("%d parties: the %d. has %.3f of an even share", parties, i+1, share)
			}
		}
	}
}

// One who is alone never holds anything back for others.
func TestNobodyToShareWith(t *testing.T) {
	through, refused := shareOut(t, 1, time.Minute, 0)
	if refused != 0 || through[0] < 639 {
		t.Errorf("%d let through and %d refused, want 640 and none", through[0], refused)
	}
}

// Refusals of a server that says there is enough left are no sign of others: after
// an outage, what is there is had at once.
func TestOutageIsNoSignOfOthers(t *testing.T) {
	var b Budget
	start := time.Now()
	said := func(left float64) []Policy {
		return []Policy{{Limit: 50, Window: time.Second, Burst: 50, Remaining: left, Reset: -1}}
	}
	var flight [9]Ticket
	for i := range flight {
		flight[i], _, _ = b.TryAt(start, Call{})
	}
	for i := range flight {
		flight[i].RefusedAt(start, Refusal{Policies: said(50), Delay: func(int) time.Duration { return 10 * time.Second }})
		flight[i].DoneAt(start)
	}
	server := &toyBucket{rate: 50, size: 50, level: 50, at: start}
	taken := 0
	for at := start.Add(10 * time.Second); at.Before(start.Add(12 * time.Second)); at = at.Add(time.Millisecond) {
		if ticket, _, ok := b.TryAt(at, Call{}); ok {
			if server.take(at) {
				taken++
			}
			ticket.AnsweredAt(at, said(math.Floor(server.level)))
			ticket.SucceededAt(at)
			ticket.DoneAt(at)
		}
	}
	if taken < 145 {
		t.Errorf("%d calls went in the two seconds after the outage, want nearly the 150 that are there", taken)
	}
}

// A bucket that was full for long ran over: nobody else had that.
func TestOverflowIsNobodys(t *testing.T) {
	var s share
	g := newGCRA(Limit{Rate: 10, Burst: 20})
	var n network
	at := int64(0)
	for i := range 20 {
		at += int64(time.Minute)
		s.measure(&g, 10, &n, account{seen: sighting{from: at, at: at}, sent: int64(i), left: 19})
	}
	if s.others > 0.1 {
		t.Errorf("others are said to take %.1f calls a second", s.others)
	}
}

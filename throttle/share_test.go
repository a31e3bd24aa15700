package throttle

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Several budgets that know nothing of each other draw on one bucket, of which
// each answer says what is left.
func shareOut(t *testing.T, parties int, span time.Duration) (through []int, refused int) {
	t.Helper()
	start := time.Now()
	server := &toyBucket{rate: 10, size: 40, level: 40, at: start}
	budgets := make([]*Budget, parties)
	through = make([]int, parties)
	for i := range budgets {
		budgets[i] = &Budget{}
		budgets[i].DrawWith(rand.New(rand.NewPCG(uint64(i), 7)).Float64)
	}
	for at := start; at.Before(start.Add(span)); at = at.Add(time.Millisecond) {
		for i, b := range budgets {
			ticket, _, ok := b.TryAt(at, Call{})
			if !ok {
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
				ticket.RefusedAt(at, said, func(int) time.Duration { return 100 * time.Millisecond })
			}
			ticket.DoneAt(at)
		}
	}
	return through, refused
}

// All of the budget is used, nearly nothing is refused, and the shares are
// equal.
func TestSharesAreEqual(t *testing.T) {
	for _, parties := range []int{1, 2, 5} {
		through, refused := shareOut(t, parties, 10*time.Minute)
		sum := 0
		for _, n := range through {
			sum += n
		}
		if used := float64(sum) / 6040; used < 0.99 || float64(refused)/float64(sum) > 0.02 {
			t.Errorf("%d parties: %.1f %% used, %d refused", parties, 100*used, refused)
		}
		for i, n := range through {
			if even := float64(sum) / float64(parties); math.Abs(float64(n)-even) > 0.2*even {
				t.Errorf("%d parties: the %d. has %d of %d", parties, i+1, n, sum)
			}
		}
	}
}

// One who is alone never holds anything back for others.
func TestNobodyToShareWith(t *testing.T) {
	through, refused := shareOut(t, 1, time.Minute)
	if refused != 0 || through[0] < 639 {
		t.Errorf("%d let through and %d refused, want 640 and none", through[0], refused)
	}
}

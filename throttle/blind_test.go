package throttle

import (
	"math"
	"testing"
	"time"
)

// A toy bucket answers at once; nothing but its refusals is known.
type toyBucket struct {
	rate, size, level float64
	at                time.Time
}

func (t *toyBucket) take(at time.Time) bool {
	t.level = min(t.size, t.level+t.rate*at.Sub(t.at).Seconds())
	t.at = at
	if t.level < 1 {
		return false
	}
	t.level--
	return true
}

// saturate calls as often as the budget allows, and returns how many calls were
// let through and how many refused from the given instant on.
func saturate(b *Budget, server *toyBucket, start time.Time, from, span time.Duration) (through, refused int) {
	for at := start; at.Before(start.Add(span)); {
		ticket, next, ok := b.TryAt(at, Call{})
		if !ok {
			at = maxTime(next, at.Add(time.Millisecond))
			continue
		}
		ok = server.take(at)
		ticket.pressed = true
		if ok {
			ticket.AnsweredAt(at, nil)
			ticket.SucceededAt(at)
		} else {
			ticket.RefusedAt(at, Refusal{Delay: func(n int) time.Duration { return min(time.Minute, 100*time.Millisecond<<n) }})
		}
		ticket.DoneAt(at)
		if at.Sub(start) >= from {
			if ok {
				through++
			} else {
				refused++
			}
		}
	}
	return through, refused
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// The rate of a hidden bucket is found, and used nearly to the full, at few
// refusals.
func TestTokenClockFindsTheRate(t *testing.T) {
	for _, hidden := range []toyBucket{{rate: 7, size: 3}, {rate: 33, size: 200}, {rate: 1, size: 20}, {rate: 250, size: 30}} {
		b := &Budget{}
		start := time.Now()
		server := hidden
		server.level, server.at = server.size, start
		through, refused := saturate(b, &server, start, 2*time.Minute, 20*time.Minute)
		used := float64(through) / (hidden.rate * 18 * 60)
		share := float64(refused) / float64(through+refused)
		if used < 0.98 || used > 1.01 || share > 0.005 {
			t.Errorf("%+v: %.2f %% used, %.3f %% refused", hidden, 100*used, 100*share)
		}
	}
}

// A limit that has risen is found again, although it is tested seldom.
func TestTokenClockTestsAgain(t *testing.T) {
	b := &Budget{}
	start := time.Now()
	server := &toyBucket{rate: 5, size: 5, level: 5, at: start}
	saturate(b, server, start, 0, 5*time.Minute)
	server.rate = 20
	later := start.Add(5 * time.Minute)
	through, _ := saturate(b, server, later, 20*time.Minute, 25*time.Minute)
	if used := float64(through) / (20 * 5 * 60); used < 0.9 {
		t.Errorf("%.1f %% used of a limit that rose 20 minutes ago", 100*used)
	}
}

// A server that refuses every other call, however seldom they come, has no rate
// to be learned: nobody is slowed down further and further.
func TestNoRateIsLearnedFromRandomRefusals(t *testing.T) {
	b := &Budget{}
	start := time.Now()
	at, sent := start, 0
	for sent < 400 {
		ticket, next, ok := b.TryAt(at, Call{})
		if !ok {
			at = maxTime(next, at.Add(time.Millisecond))
			continue
		}
		sent++
		at = at.Add(10 * time.Millisecond)
		if sent%2 == 0 {
			ticket.RefusedAt(at, Refusal{Delay: func(int) time.Duration { return 100 * time.Millisecond }})
		} else {
			ticket.AnsweredAt(at, nil)
			ticket.SucceededAt(at)
		}
		ticket.DoneAt(at)
	}
	if took := at.Sub(start); took > 5*time.Minute {
		t.Errorf("400 calls, 200 of them refused for 100ms, took %v", took)
	}
}

// What was learned holds no longer than it matters.
func TestPaceIsForgotten(t *testing.T) {
	b := &Budget{}
	start := time.Now()
	server := &toyBucket{rate: 2, size: 5, level: 5, at: start}
	saturate(b, server, start, 0, time.Minute)
	if len(b.Limits()) != 1 {
		t.Fatal("nothing was learned")
	}
	at := start.Add(time.Minute + time.Duration(forgetPace) + time.Second)
	if _, _, ok := b.TryAt(at, Call{}); !ok || len(b.common()) != 0 {
		t.Errorf("%d limits are left after ten minutes of quiet", len(b.common()))
	}
	if r := b.root.clock.rate; r != 0 || math.IsNaN(r) {
		t.Errorf("the rate %v is left", r)
	}
}

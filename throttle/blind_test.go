package throttle

import (
	"math"
	"testing"
	"time"
)

// A toy bucket answers after a while; nothing but its refusals is known.
type toyBucket struct {
	rate, size, level float64
	at                time.Time
	trip              time.Duration
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
		at = at.Add(server.trip)
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

// A slow bucket, of which little gathers between refusals, costs few of them all
// the same.
func TestTokenClockFindsASlowBucket(t *testing.T) {
	for _, hidden := range []toyBucket{{rate: 1, size: 60}, {rate: 1, size: 20}, {rate: 2, size: 40}} {
		b := &Budget{}
		b.Probe()
		start := time.Now()
		server := hidden
		server.level, server.at, server.trip = server.size, start, 15*time.Millisecond
		through, refused := saturate(b, &server, start, 0, 10*time.Minute)
		used := float64(through) / (hidden.size + hidden.rate*600)
		if used < 0.985 || used > 1 || refused > 6 {
			t.Errorf("%+v: %.2f %% used, %d refused", hidden, 100*used, refused)
		}
	}
}

const second = int64(time.Second)

// sixty is a clock at the first refusal of a bucket of 60, used up in a second.
func sixty(few bool) (c tokenClock, extra int64) {
	extra = c.refused(0, refusal{at: second, until: second + second/10, admitted: 60, few: few})
	return c, extra
}

// The first pause is as long as the bucket took to run dry: it does not fill up in
// that. After a crowd nothing is known of how long it took.
func TestFirstPauseIsAsLongAsTheFirstBurst(t *testing.T) {
	if _, extra := sixty(true); extra != second {
		t.Errorf("a pause of %v after few calls, want 1s", time.Duration(extra))
	}
	if _, extra := sixty(false); extra > second/10 {
		t.Errorf("a pause of %v after a crowd", time.Duration(extra))
	}
}

// While only a bound of the rate is known, so much gathers that the next refusal
// makes a reading, but nobody waits for long; and that reading is no surprise.
func TestNextRefusalAfterABoundMakesAReading(t *testing.T) {
	c, _ := sixty(true)
	extra := c.refused(0, refusal{at: 11 * second / 5, until: 12 * second / 5, admitted: 61})
	if want := int64(15e9 / c.rate); c.vague != 1 || extra != want {
		t.Errorf("bound %v/s, pause %v; want %v", c.rate, time.Duration(extra), time.Duration(want))
	}
	slow := c
	if extra := slow.refused(0, refusal{at: 30 * second, until: 31 * second, admitted: 62}); (extra+second/2)/second != 10 {
		t.Errorf("bound %v/s, pause %v; want 10s", slow.rate, time.Duration(extra))
	}
	c.refused(0, refusal{at: 30 * second, until: 31 * second, admitted: 89})
	if math.Abs(c.rate-1) > 0.05 || c.gain != clockGain/2 {
		t.Errorf("rate %v, gain %v after a reading", c.rate, c.gain)
	}
	if extra := c.refused(0, refusal{at: 40 * second, until: 41 * second, admitted: 92}); extra != 0 {
		t.Errorf("a pause of %v for a rate that was known", time.Duration(extra))
	}
}

// A window that tells when it ends has nothing to gather before that.
func TestNoLongPauseAfterAWindow(t *testing.T) {
	var c tokenClock
	extra := c.refused(0, refusal{at: second, until: 60 * second, admitted: 60, few: true})
	if want := int64(clockBank * 1e9 / c.rate); extra != want {
		t.Errorf("a pause of %v after a minute, want %v", time.Duration(extra), time.Duration(want))
	}
}

// Of a small bucket, or one that was used up after the start, no long pause is
// made: it may run over, or be none.
func TestNoLongPauseForOtherBuckets(t *testing.T) {
	for name, first := range map[string]refusal{
		"small": {at: second, admitted: 5, few: true},
		"late":  {at: 3 * second, admitted: 60, few: true},
		"crowd": {at: second, admitted: 60},
	} {
		var c tokenClock
		first.until = first.at + second/10
		extra := c.refused(0, first)
		extra += c.refused(0, refusal{at: first.at + 2*second, until: first.at + 3*second, admitted: first.admitted + 1})
		if extra >= second {
			t.Errorf("%s: pauses of %v", name, time.Duration(extra))
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

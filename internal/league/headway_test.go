package league

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/headway-go/headway/backoff"
	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/simulate"
)

// What the adapter makes of an answer is what the Transport would make of the
// header fields that stand for it.
func TestPoliciesAreThoseOfTheFields(t *testing.T) {
	for _, fields := range []simulate.Headers{
		simulate.HeadersNone, simulate.HeadersRemaining, simulate.HeadersTrio, simulate.HeadersIETF, simulate.HeadersIETFBurst,
	} {
		for _, retry := range []simulate.Retry{simulate.RetryNone, simulate.RetryExact, simulate.RetrySeconds} {
			publish := simulate.Publisher{Headers: fields, Retry: retry}
			server := must(simulate.NewTokenBucket(rateOf(5, 4*time.Second), 3))
			for range 4 {
				a := publish.Answer(0, server.Arrive(0, 1), server.Policy())
				compareWithFields(t, publish, a)
			}
		}
	}
}

func compareWithFields(t *testing.T, publish simulate.Publisher, a simulate.Answer) {
	t.Helper()
	h := http.Header{}
	for _, f := range publish.Fields(a) {
		h.Set(f.Name, f.Value)
	}
	said, got := headers.Parse(h, start), (&house{}).policies(a)
	if len(said.Policies) != len(got) {
		t.Errorf("%+v: %d policies, the fields have %d", a, len(got), len(said.Policies))
		return
	}
	hint := said.RetryAfter.Or(0)
	for i, p := range said.Policies {
		want := throttle.Policy{
			Name: p.Name, Limit: p.Limit.V, Window: p.Window, Burst: p.Burst.V,
			Remaining: p.Remaining.Or(-1), Reset: p.Reset.Or(-1),
		}
		if got[i] != want {
			t.Errorf("%+v: %+v, the fields say %+v", a, got[i], want)
		}
		if hint == 0 && want.Remaining == 0 {
			hint = max(want.Reset, 0)
		}
	}
	if got := (&house{}).hint(a); got != hint {
		t.Errorf("%+v: hint %v, the fields say %v", a, got, hint)
	}
}

// The delays are those of the zero backoff.Policy.
func TestDelay(t *testing.T) {
	h := &house{rand: rand.New(rand.NewPCG(1, 1))}
	for n := range 12 {
		lo, hi := backoff.Policy{}.Bounds(n)
		for range 100 {
			if d := h.delay(n, 0); d < lo || d > hi {
				t.Fatalf("delay(%d, 0) = %v, want %v to %v", n, d, lo, hi)
			}
			if d := h.delay(n, time.Minute); d < time.Minute || d > 66*time.Second {
				t.Fatalf("delay(%d, 1m) = %v, want 1m to 1m6s", n, d)
			}
		}
	}
}

func TestBlindPassesOverWhatIsPublished(t *testing.T) {
	server := bucketOf(1, 1)()
	server.Arrive(0, 1)
	a := everything.Answer(0, server.Arrive(0, 1), server.Policy())
	blind := &house{blind: true}
	if got := blind.policies(a); got != nil {
		t.Errorf("policies %+v, want none", got)
	}
	if got := blind.hint(a); got != time.Second {
		t.Errorf("hint %v, want the 1s of Retry-After", got)
	}
	a.Said &^= simulate.SaidRetryAfter
	if got := blind.hint(a); got != 0 {
		t.Errorf("hint %v from a reset, want none", got)
	}
}

// pair is two processes of one worker on one schedule, at a server that has no
// limit of its own.
func pair(limit throttle.Limit) (a, b *simulate.Process) {
	s := &Scenario{network: simulate.Network{RTT: 10 * ms}}
	w := &world{scenario: s, loop: &simulate.Loop{}}
	w.site = &simulate.Site{Loop: w.loop, Server: bucketOf(1e6, 1e6)()}
	h := newHouse(w, rand.New(rand.NewPCG(1, 1)), false)
	h.budget = must(throttle.NewBudget(limit))
	var both [2]*simulate.Process
	for i := range both {
		both[i] = &simulate.Process{Site: w.site, Net: s.network}
		both[i].Strategy = h.join(&client{world: w, index: i, process: both[i]})
	}
	return both[0], both[1]
}

// Processes that share a schedule take turns in the order in which their calls
// were made, and none waits for longer than the schedule says.
func TestSharedScheduleIsFair(t *testing.T) {
	a, b := pair(throttle.Limit{Rate: 10, Burst: 1})
	for _, p := range []*simulate.Process{a, b} {
		p.Work(3, func(int) (int64, bool) { return 1, true })
	}
	a.Site.Loop.Run(time.Minute + 9*ms)
	if sent := a.Stats.Requests + b.Stats.Requests; sent != 601 || a.Stats.Requests-b.Stats.Requests > 1 {
		t.Errorf("%d and %d requests in a minute of 10/s; want 601 in all, in equal parts", a.Stats.Requests, b.Stats.Requests)
	}
	if worst := max(a.Stats.Waits.Max(), b.Stats.Waits.Max()); worst > 600*ms {
		t.Errorf("a call of six waited %v at 10/s", worst)
	}
}

// A call that gets no answer is sent again, after a wait of its own that holds
// up nobody else.
func TestLostCallIsSentAgain(t *testing.T) {
	a, _ := pair(throttle.Limit{Rate: 1000, Burst: 100})
	a.Timeout, a.Net.RTT = 5*ms, 10*ms
	a.Submit(0, 1, nil)
	a.Site.Loop.At(50*ms, func() {
		a.Net.RTT = 1 * ms
		a.Submit(1, 1, nil)
	})
	a.Site.Loop.Run(time.Second)
	if s := a.Stats; s.Lost != 1 || s.Done != 2 || s.Requests != 3 || s.Waits.Quantile(0.5) != 0 || s.Waits.Max() < 100*ms {
		t.Errorf("%+v; want one lost and sent again after 0.1 to 0.2 s, and no wait for the other", s)
	}
}

package league

import (
	"math"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle/simulate"
)

// processOf is a process of one strategy at a server of the given model.
func processOf(t *testing.T, name string, server simulate.Server, publish simulate.Publisher, known limit) *simulate.Process {
	t.Helper()
	s := &Scenario{processes: 1, known: known}
	w := &world{scenario: s, seed: 1, loop: &simulate.Loop{}}
	w.site = &simulate.Site{Loop: w.loop, Server: server, Publish: publish}
	p := &simulate.Process{Site: w.site, Net: simulate.Network{RTT: 10 * ms}}
	p.Strategy = strategyNamed(t, name).join(w)(&client{world: w, process: p, rand: w.rand(forStrategy, 0)})
	return p
}

// arrivals returns when the requests of a process reach its server.
func arrivals(p *simulate.Process, until time.Duration) (at []time.Duration) {
	p.Site.Observe = func(s simulate.Step) { at = append(at, s.At) }
	p.Site.Loop.Run(until)
	return at
}

// After a refusal, x-time-rate waits for Retry-After and only then for a slot.
func TestByHandObeysRetryAfter(t *testing.T) {
	server := &outage{Server: bucketOf(100, 100)(), until: 2 * time.Second}
	p := processOf(t, "x-time-rate", server, simulate.Publisher{Retry: simulate.RetryExact}, limit{1, 1})
	p.Submit(0, 1, nil)
	p.Submit(0, 1, nil)
	got := arrivals(p, time.Minute)
	// 0 and 1 s by the rate; the first waits until 2.005 s, and has its slot by then.
	want := []time.Duration{5 * ms, 1005 * ms, 2010 * ms, 3010 * ms}
	if len(got) != len(want) {
		t.Fatalf("arrivals %v, want about %v", got, want)
	}
	for i := range want {
		if d := got[i] - want[i]; d < -10*ms || d > 10*ms {
			t.Errorf("arrivals %v, want about %v", got, want)
		}
	}
}

// Full jitter doubles its range, up to 20 s.
func TestFullJitter(t *testing.T) {
	r := simulate.NewRand(1, 1)
	for _, tt := range []struct {
		attempts int
		most     time.Duration
	}{{1, time.Second}, {2, 2 * time.Second}, {5, 16 * time.Second}, {6, 20 * time.Second}, {5000, 20 * time.Second}} {
		var longest time.Duration
		for range 1000 {
			longest = max(longest, fullJitter(r, tt.attempts))
		}
		if longest > tt.most || longest < tt.most*98/100 {
			t.Errorf("the longest wait after %d attempts is %v, want almost %v", tt.attempts, longest, tt.most)
		}
	}
}

// The sleeps of a thread that is refused grow as published: 0.8 s more each
// time, then 1.2 times as long; and a tenth of it at random.
func TestSleeperGrows(t *testing.T) {
	server := &outage{Server: bucketOf(1, 1)(), until: time.Minute}
	for name, sleeps := range map[string][]float64{
		"exp-remaining": {0, 0.8, 1.76, 2.912, 4.2944}, // s = (s + 0.8) · 1.2
		"exp-backoff":   {0, 0.8, 0.96, 1.152, 1.3824},
	} {
		p := processOf(t, name, server, simulate.Publisher{}, limit{1.25, 4500})
		p.Submit(0, 1, nil)
		got := arrivals(p, time.Minute)
		for i := 1; i < len(sleeps); i++ {
			if sleep := (got[i] - got[i-1]).Seconds() - 0.01; sleep < sleeps[i]-1e-6 || sleep > 1.1*sleeps[i]+1e-6 {
				t.Errorf("%s: sleep %d is %v, want %v or a tenth more", name, i, sleep, sleeps[i])
			}
		}
	}
}

// After a refusal CUBIC falls to 0.7, is back where it was after the time of
// its formula, and never rises above twice what is used.
func TestCubic(t *testing.T) {
	c := cubic{}
	for range 2 {
		if c.take(0) != 0 {
			t.Error("it waits before the first refusal")
		}
	}
	for i := range 100 { // 10 a second for 10 s
		c.update(float64(i)/10, false)
	}
	c.update(10, true)
	if math.Abs(c.fill-7) > 0.5 {
		t.Errorf("rate %v after a refusal at 10/s, want 7", c.fill)
	}
	back := 10 + math.Cbrt(10*0.3/0.4)
	for now := 10.0; now < back; now += 0.1 {
		c.update(now, false)
	}
	if math.Abs(c.fill-10) > 0.7 {
		t.Errorf("rate %v after the plateau's time, want 10", c.fill)
	}
	for now := back; now < back+30; now += 0.1 {
		c.update(now, false)
	}
	if c.fill > 21 {
		t.Errorf("rate %v with 10/s in use, want 20 at most", c.fill)
	}
	for c.take(back+60) == 0 {
	}
	if wait := c.take(back + 60); wait > 1/c.fill {
		t.Errorf("it waits %v for a token at %v/s", wait, c.fill)
	}
}

// AIMD falls to 0.7 once for what was sent before, holds for Retry-After, and
// rises by 4 % of the limit every ten seconds.
func TestAIMD(t *testing.T) {
	server := bucketOf(1, 1)()
	p := processOf(t, "aimd", server, simulate.Publisher{}, limit{100, 100})
	s := p.Strategy.(*aimd)
	refused := simulate.Answer{Status: 429, Said: simulate.SaidRetryAfter, RetryAfter: time.Second}
	call := &simulate.Call{SentAt: 0, Attempts: 1}
	for range 3 {
		s.Answered(50*ms, call, refused)
	}
	if math.Abs(s.rate-70) > 1e-9 {
		t.Errorf("rate %v after three refusals of one flight, want 70", s.rate)
	}
	if at := s.Ask(100*ms, call); at != simulate.Hold {
		t.Errorf("a call may go at %v while Retry-After lasts", at)
	}
	if at := s.Ask(1100*ms, call); at != 1100*ms {
		t.Errorf("a call may go at %v after it, want at once", at)
	}
	s.Ask(21*time.Second, call)
	if math.Abs(s.rate-78) > 1e-9 {
		t.Errorf("rate %v after 21 s, want 78", s.rate)
	}
}

// ATB has one call in flight; its rate is ·1.2 after a success, and half after
// a refusal, with no token left.
func TestATB(t *testing.T) {
	p := processOf(t, "atb", bucketOf(1000, 1000)(), simulate.Publisher{}, limit{100, 100})
	most := 0
	p.Observe = func(*simulate.Call, simulate.Answer) { most = max(most, p.InFlight()+1) }
	p.Work(5, func(int) (int64, bool) { return 1, p.Stats.Calls < 20 })
	p.Site.Loop.Run(time.Minute)
	s := p.Strategy.(*atb)
	if want := 100 * math.Pow(1.2, 20); math.Abs(s.rate-want) > 1e-6*want || most != 1 {
		t.Errorf("rate %v after 20 successes, %d in flight; want %v, 1", s.rate, most, want)
	}
	s.Answered(2*time.Minute, &simulate.Call{}, simulate.Answer{Status: 429})
	if want := 50 * math.Pow(1.2, 20); math.Abs(s.rate-want) > 1e-6*want || s.level != 0 {
		t.Errorf("rate %v, %v tokens after a refusal; want %v, none", s.rate, s.level, want)
	}
}

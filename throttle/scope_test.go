package throttle

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

func quota(name string, limit, left float64, reset time.Duration) []Policy {
	return []Policy{{Name: name, Limit: limit, Remaining: left, Reset: reset}}
}

// go1 sends a call of the lane, whose answer publishes the policies. It returns
// the lane that it was shown to be of.
func go1(t *testing.T, l *Lane, unsettled bool, policies []Policy) *Lane {
	t.Helper()
	ticket, err := l.Acquire(t.Context(), Call{})
	if err != nil {
		t.Fatal(err)
	}
	if unsettled {
		ticket.Unsettled()
	}
	ticket.Answered(policies)
	ticket.Succeeded()
	ticket.Done()
	return ticket.Lane()
}

// waitOf is how long a call of the lane waits.
func waitOf(t *testing.T, l *Lane) time.Duration {
	t.Helper()
	start := time.Now()
	if err := l.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}

func TestScopesAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		go1(t, root, true, quota("core", 5000, 4999, time.Hour))
		search := go1(t, root, true, quota("search", 30, 0, time.Minute+time.Second/2))
		if search == root {
			t.Fatal("an answer that speaks of none of the known policies showed no scope of its own")
		}
		if again := go1(t, root, true, quota("search", 30, 0, time.Minute+time.Second/2)); again != search {
			t.Error("the same policy made two scopes")
		}
		if d := waitOf(t, root); d != 0 {
			t.Errorf("a call of core waits %v for the quota of search", d)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if d := waitOf(t, search); d != time.Minute+time.Second/2 {
				t.Errorf("a call of search waits %v, want the minute and a half second until its reset", d)
			}
		})
		synctest.Wait()
		if d := waitOf(t, root); d != 0 {
			t.Errorf("a call of core waits %v behind one of search", d)
		}
		wg.Wait()
	})
}

// Without a sign that the call is like none before, all that is published holds
// for all calls: a server may just have another name for its limit.
func TestSettledCallsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		go1(t, root, false, quota("v1", 100, 99, time.Hour))
		if l := go1(t, root, false, quota("v2", 100, 0, time.Minute+time.Second/2)); l != root {
			t.Error("the call is in another lane")
		}
		if d := waitOf(t, root); d != time.Minute+time.Second/2 {
			t.Errorf("the next call waits %v, want until the reset of what was published last", d)
		}
	})
}

// A call of a kind that is known goes where others were found to be counted, if
// its answer says so: those that went together are not told apart by which was
// answered first.
func TestCallsFollowTheirPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		go1(t, root, true, quota("core", 5000, 4999, time.Hour))
		search := go1(t, root, true, quota("search", 30, 29, time.Minute))
		if l := go1(t, root, false, quota("search", 30, 28, time.Minute)); l != search {
			t.Error("a call whose answer speaks of search is not of its lane")
		}
		if l := go1(t, search, false, quota("core", 5000, 4998, time.Hour)); l != root {
			t.Error("a call whose answer speaks of core is not of its lane")
		}
	})
}

// Answers that overtake each other, to calls that are all found to be of another
// scope: the least that remains counts.
func TestCallsMoveOutOfOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		b.SetSpread(-1)
		root, _ := b.Lane("")
		go1(t, root, true, quota("core", 5000, 4999, time.Hour))
		var tickets []Ticket
		for range 3 {
			ticket, err := root.Acquire(t.Context(), Call{})
			if err != nil {
				t.Fatal(err)
			}
			ticket.Unsettled()
			tickets = append(tickets, ticket)
		}
		for i, left := range []float64{7, 8, 9} {
			tickets[i].Answered(quota("search", 10, left, time.Minute))
		}
		n, search := 0, tickets[2].Lane()
		for ; search.Allow(); n++ {
		}
		if n < 6 || n > 7 { // the first may come late, and the last waits for that
			t.Errorf("%d calls may go, want the 7 that are left", n)
		}
	})
}

// Where the call that asks what holds after the end of a window fails, the next
// asks: it need not wait until what is known goes stale.
func TestCallThatAsksFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		go1(t, root, false, quota("core", 100, 0, 10*time.Second+time.Second/2))
		start := time.Now()
		for range 3 {
			go1(t, root, false, nil)
		}
		if d := time.Since(start); d != 10*time.Second+time.Second/2 {
			t.Errorf("the third of three calls that are told nothing went after %v", d)
		}
	})
}

// A call that does not go after all leaves everything as it was: the level, the
// permit, and the right to ask what holds after the end of a window.
func TestCancelledTicket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := NewBudget(Limit{Rate: 1, Burst: 5})
		if err != nil {
			t.Fatal(err)
		}
		b.SetMaxConcurrent(1)
		lane, _ := b.Lane("")
		go1(t, lane, true, quota("core", 100, 0, 10*time.Second+time.Second/2))
		var wg sync.WaitGroup
		for range 3 { // each waits until the one before it is cancelled
			wg.Go(func() {
				ticket, err := lane.Acquire(t.Context(), Call{Cost: 2})
				if err != nil {
					t.Error(err)
				}
				ticket.Cancel()
			})
		}
		wg.Wait()
		if s := b.State(); s.Tokens[0] != 5 || s.InFlight != 0 {
			t.Errorf("%v are left of 5, %d under way", s.Tokens[0], s.InFlight)
		}
		if d := waitOf(t, lane); d != 0 {
			t.Errorf("the next call asks after %v", d)
		}
	})
}

func TestReachOfARefusal(t *testing.T) {
	for _, tt := range []struct {
		name     string
		reach    Reach
		left     float64
		reset    time.Duration
		wantRoot time.Duration
	}{
		{"nothing is left", ReachUnknown, 0, 5 * time.Second, 0},
		{"nothing is left, at the reset", ReachUnknown, 0, 0, 0},
		{"something is left", ReachUnknown, 9, 5 * time.Second, 10 * time.Second},
		{"local", ReachLocal, 9, 5 * time.Second, 0},
		{"global", ReachGlobal, 0, 5 * time.Second, 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b Budget
				root, _ := b.Lane("")
				go1(t, root, true, quota("core", 5000, 4999, time.Hour))
				search := go1(t, root, true, quota("search", 30, 29, time.Minute))
				ticket, err := search.Acquire(t.Context(), Call{})
				if err != nil {
					t.Fatal(err)
				}
				ticket.Refused(Refusal{
					Policies: quota("search", 30, tt.left, tt.reset),
					Reach:    tt.reach,
					Delay:    func(int) time.Duration { return 10 * time.Second },
				})
				ticket.Done()
				if d := waitOf(t, root); d != tt.wantRoot {
					t.Errorf("a call of another scope waits %v, want %v", d, tt.wantRoot)
				}
				if left := 10*time.Second - tt.wantRoot; waitOf(t, search) < left {
					t.Errorf("a call of the scope that was refused does not wait %v", left)
				}
			})
		})
	}
}

// What was set by hand binds the calls of all scopes together.
func TestScopesShareWhatWasSetByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := NewBudget(Limit{Rate: 10, Burst: 5})
		if err != nil {
			t.Fatal(err)
		}
		lane, _ := b.Lane("POST /", Limit{Rate: 4, Burst: 2})
		go1(t, lane, true, quota("core", 5000, 4999, time.Hour))
		other := go1(t, lane, true, quota("search", 3000, 2999, time.Hour))
		time.Sleep(10 * time.Second)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() { waitOf(t, []*Lane{lane, other}[i%2]) })
		}
		wg.Wait()
		if d := time.Since(start); d != 38*time.Second/4 {
			t.Errorf("40 calls of two scopes took %v, want the 9.5 s of their common limit", d)
		}
		start = time.Now()
		if err := lane.SetLimits(Limit{Rate: 1, Burst: 1}); err != nil {
			t.Fatal(err)
		}
		waitOf(t, other)
		waitOf(t, lane)
		if d := time.Since(start); d < time.Second {
			t.Errorf("a new limit of one lane does not bind its twin: two calls took %v", d)
		}
	})
}

// A server that has a new name on every answer makes no more of them than there
// is room for, and all that it says still binds.
func TestScopesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		for i := range 500 {
			go1(t, root, true, quota(fmt.Sprint(i), 100, 50, time.Hour))
		}
		if n := len(b.scopes); n > maxScopes {
			t.Errorf("%d scopes", n)
		}
		if n := len(b.Limits()); n > maxScopes+maxKnown {
			t.Errorf("%d limits", n)
		}
	})
}

// What makes no limit makes no scope either.
func TestScopesNeedALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		go1(t, root, true, quota("core", 5000, 4999, time.Hour))
		for _, p := range []Policy{
			{Name: "limit", Limit: 100, Remaining: -1, Reset: -1},
			{Name: "count", Remaining: 5, Reset: -1},
			{Name: "cap", Limit: 3, Window: time.Second, Concurrent: true, Remaining: -1, Reset: -1},
			{Name: "over", Limit: 100, Remaining: 100, Reset: 0},
		} {
			if l := go1(t, root, true, []Policy{p}); l != root {
				t.Errorf("a call that is told %+v is of a lane of its own", p)
			}
		}
	})
}

func TestScopesAreSaved(t *testing.T) {
	for _, name := range []string{"search", ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b Budget
				root, _ := b.Lane("")
				spent := quota(name, 30, 0, time.Minute+time.Second/2)
				go1(t, root, true, quota("core", 5000, 4999, time.Hour))
				ticket, err := root.Acquire(t.Context(), Call{})
				if err != nil {
					t.Fatal(err)
				}
				ticket.Unsettled()
				ticket.Refused(Refusal{Policies: spent, Delay: func(int) time.Duration { return 2 * time.Minute }})
				ticket.Done()

				var next Budget
				next.Restore(b.Save())
				root, _ = next.Lane("")
				if d := waitOf(t, root); d != 0 {
					t.Errorf("a call of core waits %v", d)
				}
				search := go1(t, root, true, spent)
				if search == root || len(next.scopes) != 2 {
					t.Errorf("%q is not known again: %d scopes", name, len(next.scopes))
				}
				if d := waitOf(t, search); d != 2*time.Minute {
					t.Errorf("a call of %q waits %v, want until the end of its cool-down", name, d)
				}
			})
		})
	}
}

// What holds for calls whose answers take long is not forgotten meanwhile, though
// others are answered.
func TestScopesOfSlowCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		perMinute := []Policy{{Name: "export", Limit: 1, Window: time.Minute, Burst: 1, Remaining: -1, Reset: -1}}
		go1(t, root, true, quota("core", 5000, 4999, 3*time.Hour))
		export := go1(t, root, true, perMinute)
		start := time.Now()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				ticket, err := export.Acquire(t.Context(), Call{})
				if err != nil {
					t.Error(err)
				}
				time.Sleep(5 * time.Minute)
				ticket.Answered(perMinute)
				ticket.Done()
			})
		}
		for range 60 {
			time.Sleep(10 * time.Second)
			go1(t, root, false, quota("core", 5000, 4999, 2*time.Hour))
		}
		wg.Wait()
		if d := time.Since(start); d < 15*time.Minute {
			t.Errorf("ten calls at one a minute, of five minutes each, took %v", d)
		}
	})
}

// Nor is it while nobody calls there.
func TestScopesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		go1(t, root, true, quota("core", 5000, 4999, 3*time.Hour))
		export := go1(t, root, true, []Policy{{Name: "export", Limit: 1, Window: time.Second, Burst: 1, Remaining: -1, Reset: -1}})
		for range 60 {
			time.Sleep(time.Minute)
			go1(t, root, false, quota("core", 5000, 4999, 2*time.Hour))
		}
		waitOf(t, export)
		if d := waitOf(t, export); d < time.Second {
			t.Errorf("the second of two calls waits %v, want a second", d)
		}
	})
}

// In any mix of scopes, lanes, costs and cancelled calls, the limit set by hand
// holds, every call ends, and nothing is left behind.
func TestScopesLoseNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := NewBudget(Limit{Rate: 100, Burst: 10})
		if err != nil {
			t.Fatal(err)
		}
		root, _ := b.Lane("")
		hand, _ := b.Lane("hand", Limit{Rate: 50, Burst: 5})
		lanes := []*Lane{root, hand}
		for _, l := range []*Lane{root, hand} {
			go1(t, l, true, []Policy{{Name: "a", Limit: 80, Window: time.Second, Burst: 8, Remaining: -1, Reset: -1}})
			lanes = append(lanes, go1(t, l, true, []Policy{{Name: "b", Limit: 20, Window: time.Second, Burst: 2, Remaining: -1, Reset: -1}}))
		}
		var mu sync.Mutex
		var went []time.Time
		var wg sync.WaitGroup
		for i := range 600 {
			wg.Go(func() {
				time.Sleep(time.Duration(i%50) * 7 * time.Millisecond)
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7+1)*time.Second)
				defer cancel()
				ticket, err := lanes[i%4].Acquire(ctx, Call{Cost: i%2 + 1, Priority: Priority(i%3 - 1)})
				if err != nil {
					return
				}
				mu.Lock()
				for range i%2 + 1 {
					went = append(went, time.Now())
				}
				mu.Unlock()
				ticket.Answered(nil)
				ticket.Done()
			})
		}
		wg.Wait()
		wantConforming(t, went, 100, 10)
		if s := b.State(); s.Waiting != 0 || len(went) < 300 {
			t.Errorf("%d wait at the end, %d went", s.Waiting, len(went))
		}
	})
}

func wantConforming(t *testing.T, at []time.Time, r rate.Limit, burst int) {
	t.Helper()
	interval := time.Duration(float64(time.Second) / float64(r))
	var tat time.Time
	for i, now := range at {
		if early := tat.Add(-time.Duration(burst-1) * interval).Sub(now); i > 0 && early > 0 {
			t.Fatalf("call %d of %d came %v too early", i+1, len(at), early)
		}
		if tat.Before(now) {
			tat = now
		}
		tat = tat.Add(interval)
	}
}

package throttle_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
)

// A shadow makes calls of the lane of a budget that are not held back, and
// notes what would have become of them.
type shadow struct {
	lane  *throttle.Lane
	waits []time.Duration
}

func newShadow(t *testing.T, b *throttle.Budget, name string, limits ...throttle.Limit) *shadow {
	t.Helper()
	lane, err := b.Lane(name, limits...)
	if err != nil {
		t.Fatal(err)
	}
	return &shadow{lane: lane}
}

// refused stands for the wait of a call that would have been refused.
const refused = time.Duration(-1)

func (s *shadow) call(t *testing.T, call throttle.Call) (throttle.Ticket, throttle.Forecast) {
	t.Helper()
	before := time.Now()
	ticket, f := s.lane.Shadow(t.Context(), call)
	if time.Since(before) > 0 {
		t.Error("Shadow took its time")
	}
	if f.Err != nil {
		f.Wait = refused
	}
	s.waits = append(s.waits, f.Wait)
	return ticket, f
}

func (s *shadow) calls(t *testing.T, n int, call throttle.Call) {
	t.Helper()
	for range n {
		s.call(t, call)
	}
}

func (s *shadow) want(t *testing.T, waits ...time.Duration) {
	t.Helper()
	if !slices.Equal(s.waits, waits) {
		t.Errorf("would have waited %v, want %v", s.waits, waits)
	}
}

// One a second, three at once. Six come at 0, for the slots 0, 0, 0, 1, 2, 3; one
// at 2.5 s, for the slot 4; one at 10 s, when the bucket is full again.
func TestShadowTellsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShadow(t, budget(t, throttle.Limit{Rate: 1, Burst: 3}), "")
		s.calls(t, 6, throttle.Call{})
		time.Sleep(2500 * time.Millisecond)
		s.call(t, throttle.Call{})
		time.Sleep(7500 * time.Millisecond)
		s.call(t, throttle.Call{})
		s.want(t, append(ms(0, 0, 0, 1000, 2000, 3000), ms(1500, 0)...)...)
	})
}

// Costs count: of a bucket of four, 3 go at once, the next 3 lack two, 1 more
// waits for one after those.
func TestShadowCountsCosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShadow(t, budget(t, throttle.Limit{Rate: 1, Burst: 4}), "")
		s.call(t, throttle.Call{Cost: 3})
		s.call(t, throttle.Call{Cost: 3})
		s.call(t, throttle.Call{})
		if _, f := s.call(t, throttle.Call{Cost: 5}); !errors.As(f.Err, new(*throttle.NeverError)) {
			t.Errorf("cost 5 of a burst of 4: %+v", f)
		}
		if _, f := s.call(t, throttle.Call{Cost: -1}); !errors.As(f.Err, new(*throttle.FieldError)) {
			t.Errorf("cost -1: %+v", f)
		}
		s.want(t, 0, 2*time.Second, 3*time.Second, refused, refused)
	})
}

// Whoever would have been refused would have used up nothing: the next call has
// the slot that it could not wait for.
func TestShadowDoesNotChargeWhatItWouldRefuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShadow(t, budget(t, throttle.Limit{Rate: 1}), "")
		s.calls(t, 5, throttle.Call{MaxWait: 2 * time.Second})
		time.Sleep(500 * time.Millisecond)
		_, f := s.call(t, throttle.Call{MaxWait: 3 * time.Second})
		s.want(t, 0, time.Second, 2*time.Second, refused, refused, 2500*time.Millisecond)
		if f.Cause != throttle.CauseLimit {
			t.Errorf("cause %q", f.Cause)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, f = s.lane.Shadow(ctx, throttle.Call{})
		we, ok := errors.AsType[*throttle.WaitError](f.Err)
		if !ok || we.Wait != 3500*time.Millisecond || !errors.Is(we, context.DeadlineExceeded) {
			t.Errorf("with a second left: %+v", f)
		}
		cancel()
		if _, f = s.lane.Shadow(ctx, throttle.Call{}); !errors.Is(f.Err, context.Canceled) {
			t.Errorf("when the context is done: %+v", f)
		}
	})
}

// A call that its own lane would hold for a minute is charged to the budget in a
// minute: until then it is in nobody's way.
func TestShadowOfOneLaneDoesNotDelayAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, throttle.Limit{Rate: 1})
		slow := newShadow(t, b, "slow", throttle.Limit{Rate: 1.0 / 60})
		other := newShadow(t, b, "")
		slow.calls(t, 2, throttle.Call{}) // slots 0 and 60
		other.calls(t, 2, throttle.Call{})
		time.Sleep(60 * time.Second)
		other.call(t, throttle.Call{}) // the slow one has the slot at 60
		slow.want(t, 0, time.Minute)
		other.want(t, time.Second, 2*time.Second, time.Second)
	})
}

// The forecasts are what the waits are when calls do wait.
func TestShadowForetellsWhatAcquireDoes(t *testing.T) {
	for seed := range uint64(30) {
		want := waitsOf(t, seed, func(t *testing.T, l *throttle.Lane, call throttle.Call) time.Duration {
			ticket, err := l.Acquire(t.Context(), call)
			if err != nil {
				return refused
			}
			return ticket.Waited()
		})
		got := waitsOf(t, seed, func(t *testing.T, l *throttle.Lane, call throttle.Call) time.Duration {
			_, f := l.Shadow(t.Context(), call)
			if f.Err != nil {
				return refused
			}
			return f.Wait
		})
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: forecasts\n%v\nwaits\n%v", seed, got, want)
		}
	}
}

// waitsOf are the waits of two hundred calls of random costs, at random. The
// intervals are whole nanoseconds: others are rounded once a call, or once in all.
func waitsOf(t *testing.T, seed uint64, call func(*testing.T, *throttle.Lane, throttle.Call) time.Duration) []time.Duration {
	t.Helper()
	waits := make([]time.Duration, 200)
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 0))
		b := budget(t, throttle.Limit{Rate: 10, Burst: 3 + random.IntN(4)}, throttle.Limit{Rate: 5, Burst: 20})
		lane, err := b.Lane("lane", throttle.Limit{Rate: 8, Burst: 8})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range waits {
			cost := 1 + random.IntN(3)
			wg.Go(func() { waits[i] = call(t, lane, throttle.Call{Cost: cost, MaxWait: 4 * time.Second}) })
			synctest.Wait()
			if random.IntN(3) == 0 {
				time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
			}
		}
		wg.Wait()
	})
	return waits
}

// What the server answers to a call that went before its slot says nothing of
// what it would have answered to it then: neither a refusal, nor what is left.
// A limit that it publishes holds at any time.
func TestShadowHearsOnlyWhatLasts(t *testing.T) {
	bucket := throttle.Policy{Limit: 1, Window: time.Second, Burst: 10, Remaining: 0, Reset: -1}
	quota := throttle.Policy{Limit: 100, Remaining: 0, Reset: time.Minute}
	half := throttle.Policy{Limit: 100, Remaining: 60, Reset: time.Minute}
	wait := func(int) time.Duration { return 30 * time.Second }
	for _, tt := range []struct {
		name   string
		answer func(*throttle.Ticket)
		ahead  int           // calls before the one that is answered
		behind int           // and after it, before it is answered
		want   time.Duration // of one that comes then
	}{
		{"refused in time", func(k *throttle.Ticket) { k.Refused(throttle.Refusal{Delay: wait}) }, 0, 0, 30 * time.Second},
		{"refused too early", func(k *throttle.Ticket) { k.Refused(throttle.Refusal{Delay: wait}) }, 4, 0, 2 * time.Second},
		{"refused after others went too early", func(k *throttle.Ticket) { k.Refused(throttle.Refusal{Delay: wait}) }, 0, 4, 2 * time.Second},
		{"nothing left, in time", func(k *throttle.Ticket) { k.Answered([]throttle.Policy{bucket}) }, 0, 0, time.Second},
		{"nothing left, too early", func(k *throttle.Ticket) { k.Answered([]throttle.Policy{bucket}) }, 4, 0, 2 * time.Second},
		{"a quota, used up", func(k *throttle.Ticket) { k.Answered([]throttle.Policy{quota}) }, 0, 0, 61 * time.Second},
		{"a quota, used up by what was too early", func(k *throttle.Ticket) {
			k.Answered([]throttle.Policy{half})
			k.Answered([]throttle.Policy{quota})
		}, 4, 0, 2 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShadow(t, budget(t, throttle.Limit{Rate: 1, Burst: 4}), "")
				s.calls(t, tt.ahead, throttle.Call{})
				ticket, _ := s.call(t, throttle.Call{})
				s.calls(t, tt.behind, throttle.Call{})
				tt.answer(&ticket)
				ticket.Done()
				if _, f := s.call(t, throttle.Call{}); f.Wait != tt.want {
					t.Errorf("the next would wait %v, want %v", f.Wait, tt.want)
				}
			})
		})
	}
}

// Nobody can foresee when a call ends, but that one would have to end.
func TestShadowTellsOfPermits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t)
		b.SetMaxConcurrent(1)
		s := newShadow(t, b, "")
		first, f := s.call(t, throttle.Call{})
		if f.Cause != "" || !first.Counted() {
			t.Errorf("first: %+v", f)
		}
		second, f := s.call(t, throttle.Call{})
		if f.Cause != throttle.CauseConcurrency || f.Wait != 0 || second.Cause() != f.Cause {
			t.Errorf("second: %+v", f)
		}
		if in := b.State().InFlight; in != 2 {
			t.Errorf("%d under way", in)
		}
		first.Done()
		second.Done()
		if _, f := s.call(t, throttle.Call{}); f.Cause != "" {
			t.Errorf("third: %+v", f)
		}
	})
}

// Others are seen, but no part of the limit is left to them: a call that is not
// held back cannot find out which. While anything is left none would wait.
func TestShadowLeavesNoShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t)
		s := newShadow(t, b, "")
		for _, left := range []float64{39, 30, 20, 11, 8, 6, 4} {
			ticket, f := s.call(t, throttle.Call{})
			if f.Wait != 0 {
				t.Errorf("would wait %v", f.Wait)
			}
			ticket.Answered([]throttle.Policy{{Limit: 10, Window: time.Second, Burst: 40, Remaining: left, Reset: -1}})
			time.Sleep(100 * time.Millisecond)
		}
		if rate, _ := b.Others(); rate < 10 {
			t.Errorf("%v a second by others", rate)
		}
	})
}

// A call that goes in a cool-down does not end the refusals by its success: it
// would not have gone then.
func TestShadowCountsRefusalsInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShadow(t, budget(t), "")
		var strikes []int
		refuse := func(n int) time.Duration {
			strikes = append(strikes, n)
			return 10 * time.Second
		}
		for range 2 {
			ticket, _ := s.call(t, throttle.Call{})
			ticket.Refused(throttle.Refusal{Delay: refuse})
			ticket.Done()
			ticket, f := s.call(t, throttle.Call{})
			if f.Wait != 10*time.Second || f.Cause != throttle.CauseCoolDown {
				t.Errorf("forecast %+v", f)
			}
			ticket.Answered(nil)
			ticket.Succeeded()
			ticket.Done()
			time.Sleep(11 * time.Second)
		}
		if !slices.Equal(strikes, []int{1, 2}) {
			t.Errorf("refusals in a row %v, want 1 and 2", strikes)
		}
	})
}

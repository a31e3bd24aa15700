package throttle_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// What no wait would let go is another error than a wait that is too long.
func TestNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, throttle.Limit{Rate: 1, Burst: 5})
		_, err := b.Acquire(t.Context(), throttle.Call{Cost: 10})
		if ne, ok := errors.AsType[*throttle.NeverError](err); !ok || ne.Cost != 10 || ne.Limit.Burst != 5 {
			t.Errorf("Acquire of 10 = %v, want a NeverError", err)
		}
		stopped := budget(t, throttle.Limit{Rate: 0, Burst: 3})
		for range 3 {
			if err := stopped.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(1000 * time.Hour)
		if _, ok := errors.AsType[*throttle.NeverError](stopped.Wait(t.Context())); !ok {
			t.Error("rate 0 let go more than its burst")
		}
	})
}

// Reserve binds those who wait, then itself; the bound stay where they are.
func TestReserveBindsThoseAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lim, l := throttle.NewLimiter(1, 1), newLog()
		var wg sync.WaitGroup
		wait := func() error { return lim.Wait(t.Context()) }
		spawn(t, &wg, 3, "", l, wait)
		r := lim.Reserve()
		if got := r.Delay(); got != 3*time.Second {
			t.Errorf("Delay = %v, want 3s", got)
		}
		spawn(t, &wg, 1, "", l, wait)
		lim.SetLimit(2)
		wg.Wait()
		l.wantAt(t, ms(0, 1000, 2000, 2000)...)
		if got := r.Delay(); got != time.Second {
			t.Errorf("Delay = %v after the change, want 1s left", got)
		}
	})
}

func TestBadLimits(t *testing.T) {
	for field, limits := range map[string][]throttle.Limit{
		"Rate":  {{Rate: -1}, {Rate: rate.Limit(math.NaN())}, {Rate: rate.Limit(math.Inf(1))}, {Rate: 1e10}},
		"Burst": {{Rate: 1, Burst: -1}},
	} {
		for _, l := range limits {
			_, err := throttle.NewBudget(l)
			if fe, ok := errors.AsType[*throttle.FieldError](err); !ok || fe.Field != field {
				t.Errorf("NewBudget(%+v) = %v, want a FieldError for %s", l, err, field)
			}
			lim := throttle.NewLimiter(l.Rate, l.Burst)
			err = lim.Wait(t.Context())
			if fe, ok := errors.AsType[*throttle.FieldError](err); !ok || fe.Field != field {
				t.Errorf("Limiter of %+v: Wait = %v, want a FieldError for %s", l, err, field)
			}
			if lim.Allow() || lim.Reserve().OK() {
				t.Errorf("Limiter of %+v lets calls go", l)
			}
		}
	}
}

func TestEdgesOfLimiter(t *testing.T) {
	var zero throttle.Limiter
	if zero.Allow() || zero.Wait(t.Context()) == nil {
		t.Error("the zero Limiter lets calls go")
	}
	zero.SetLimit(rate.Inf)
	if !zero.AllowN(time.Now(), 1000) || zero.Wait(t.Context()) != nil || zero.Reserve().Delay() != 0 {
		t.Error("rate.Inf holds calls back")
	}
	lim := throttle.NewLimiter(1, 2)
	if err := lim.WaitN(t.Context(), 0); err != nil || lim.Tokens() < 1.99 {
		t.Errorf("WaitN(0) = %v, %v left", err, lim.Tokens())
	}
	if fe, ok := errors.AsType[*throttle.FieldError](lim.WaitN(t.Context(), -1)); !ok || fe.Field != "Cost" {
		t.Error("a negative cost was taken")
	}
	if huge := throttle.NewLimiter(10, math.MaxInt); !huge.AllowN(time.Now(), 1<<30) {
		t.Error("a burst of MaxInt is not there")
	}
}

// A call allocates nothing, whether it goes at once or not, nor does its answer.
func TestAllocations(t *testing.T) {
	lim := throttle.NewLimiter(1e9, math.MaxInt32)
	empty := throttle.NewLimiter(rate.Every(time.Hour), 1)
	empty.Allow()
	b := budget(t, throttle.Limit{Rate: 1e9, Burst: 1e9}, throttle.Limit{Rate: 1e8, Burst: 1e9})
	lane, err := b.Lane("search", throttle.Limit{Rate: 1e8, Burst: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var keys throttle.Keyed
	for name, f := range map[string]func(){
		"Wait":                 func() { _ = lim.Wait(t.Context()) },
		"Wait with a deadline": func() { _ = lim.Wait(ctx) },
		"Allow":                func() { lim.Allow() },
		"Allow, denied":        func() { empty.Allow() },
		"Acquire":              func() { _, _ = b.Acquire(ctx, throttle.Call{}) },
		"Acquire of a lane":    func() { _, _ = lane.Acquire(ctx, throttle.Call{}) },
		"Keyed":                func() { keys.Budget("api.example.com").Allow() },
		"Answered, bucket":     answeredCall(t, throttle.Policy{Limit: 1e8, Window: time.Second, Burst: 1e9, Remaining: 9e8, Reset: -1}),
		"Answered, quota":      answeredCall(t, throttle.Policy{Limit: 1e9, Remaining: 9e8, Reset: time.Hour}),
	} {
		f() // what is made once is made
		if got := testing.AllocsPerRun(100, f); got != 0 {
			t.Errorf("%s allocates %v times, want 0", name, got)
		}
	}
}

// answeredCall is a call and its answer, that publishes the same as the one before.
func answeredCall(tb testing.TB, p throttle.Policy) func() {
	tb.Helper()
	b, policies := &throttle.Budget{}, []throttle.Policy{p}
	return func() {
		ticket, err := b.Acquire(tb.Context(), throttle.Call{})
		if err != nil {
			tb.Fatal(err)
		}
		ticket.Answered(policies)
		ticket.Succeeded()
	}
}

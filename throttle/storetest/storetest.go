// Package storetest is what any [throttle.Store] has to pass, and a budget that
// has none as well: to those who call it makes no difference where the slots
// come from.
//
// Run each of [All] against the store, on sockets or in a synctest bubble. The
// tests look at the order of things and at the earliest instants that a limit
// allows; none depends on how fast anything is.
package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"golang.org/x/time/rate"
)

// A Holder returns a budget of the given key, with the limits set by hand. What
// it returns for one key is one budget to the store, each time held by another.
// The store is new for each test, and its limits start full.
type Holder func(key string, limits ...throttle.Limit) *throttle.Budget

// A Test is one of the tests.
type Test struct {
	Name string
	Run  func(t *testing.T, hold Holder)
}

// All returns the tests.
func All() []Test {
	return []Test{
		{"a burst, then the rate", burstThenRate},
		{"all who hold it together", together},
		{"several limits", severalLimits},
		{"lanes", lanes},
		{"cost", cost},
		{"all of the burst at once", wholeBurst},
		{"a wait too long", tooLong},
		{"a call that gives up", givesUp},
		{"keys are apart", keysApart},
		{"another limit is another", otherLimit},
		{"a cool-down is for all", coolDown},
		{"after a cool-down", afterCoolDown},
		{"the end of a cool-down by hand", reset},
		{"what a server publishes", published},
		{"what a server says is gone", gone},
	}
}

const interval = 20 * time.Millisecond

// A log is when calls went.
type log struct {
	mu sync.Mutex
	at []time.Time
}

// spend makes n calls at once, and notes when each went.
func (l *log) spend(t *testing.T, wg *sync.WaitGroup, b *throttle.Budget, n int) {
	for range n {
		wg.Go(func() {
			if err := b.Wait(t.Context()); err != nil {
				t.Error(err)
				return
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.at = append(l.at, time.Now())
		})
	}
}

// conforms checks that the calls kept a limit that was full at the given instant.
// A call may go later than its slot, so that what comes before is looked at, and
// not how close together two of them are.
func (l *log) conforms(t *testing.T, full time.Time, limit throttle.Limit, want int) {
	t.Helper()
	if len(l.at) != want {
		t.Fatalf("%d calls went, want %d", len(l.at), want)
	}
	slices.SortFunc(l.at, time.Time.Compare)
	each := time.Duration(float64(time.Second) / float64(limit.Rate))
	for i, at := range l.at {
		// A store counts in microseconds.
		if least := time.Duration(i+1-limit.Burst) * each; at.Sub(full) < least-time.Microsecond {
			t.Errorf("call %d went after %v, the limit allows it after %v", i, at.Sub(full), least)
		}
	}
}

func burstThenRate(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(interval), Burst: 5}
	var l log
	var wg sync.WaitGroup
	full := time.Now()
	l.spend(t, &wg, hold("k", limit), 15)
	wg.Wait()
	l.conforms(t, full, limit, 15)
}

func together(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(interval / 4), Burst: 8}
	var l log
	var wg sync.WaitGroup
	full := time.Now()
	for range 4 {
		l.spend(t, &wg, hold("k", limit), 15)
	}
	wg.Wait()
	l.conforms(t, full, limit, 60)
}

func severalLimits(t *testing.T, hold Holder) {
	fast := throttle.Limit{Rate: rate.Every(interval / 10), Burst: 2}
	slow := throttle.Limit{Rate: rate.Every(interval), Burst: 4}
	var l log
	var wg sync.WaitGroup
	full := time.Now()
	for range 2 {
		l.spend(t, &wg, hold("k", fast, slow), 6)
	}
	wg.Wait()
	l.conforms(t, full, fast, 12)
	l.conforms(t, full, slow, 12)
}

// A lane whose limit is used up holds up nobody but its own calls, and takes
// nothing from the others.
func lanes(t *testing.T, hold Holder) {
	a := hold("k", throttle.Limit{Rate: rate.Every(time.Hour), Burst: 4})
	b := hold("k", throttle.Limit{Rate: rate.Every(time.Hour), Burst: 4})
	narrow := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 1}
	first, second := lane(t, a, narrow), lane(t, b, narrow)
	try(t, first, nil)
	try(t, second, throttle.ErrMaxWait)
	try(t, first, throttle.ErrMaxWait)
	for range 3 {
		try(t, a.Acquire, nil)
	}
	try(t, b.Acquire, throttle.ErrMaxWait)
}

type acquire func(context.Context, throttle.Call) (throttle.Ticket, error)

func lane(t *testing.T, b *throttle.Budget, limit throttle.Limit) acquire {
	t.Helper()
	l, err := b.Lane("narrow", limit)
	if err != nil {
		t.Fatal(err)
	}
	return l.Acquire
}

// patience is long enough for a store to answer, and short beside the hour in
// which these limits let one call go.
const patience = time.Minute

// try makes a call that has either a slot at once, or none for long.
func try(t *testing.T, call acquire, want error) {
	t.Helper()
	tryCost(t, call, 1, want)
}

func tryCost(t *testing.T, call acquire, n int, want error) {
	t.Helper()
	ticket, err := call(t.Context(), throttle.Call{Cost: n, MaxWait: patience})
	if !errors.Is(err, want) {
		t.Errorf("a call of %d: %v, want %v", n, err, want)
	}
	if err == nil {
		ticket.Answered(nil)
		ticket.Done()
	}
}

func cost(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 10}
	a, b := hold("k", limit), hold("k", limit)
	tryCost(t, a.Acquire, 7, nil)
	tryCost(t, b.Acquire, 4, throttle.ErrMaxWait) // and nothing is used up by it
	tryCost(t, b.Acquire, 3, nil)
	tryCost(t, a.Acquire, 1, throttle.ErrMaxWait)
	_, err := a.Acquire(t.Context(), throttle.Call{Cost: 11})
	if never, ok := errors.AsType[*throttle.NeverError](err); !ok || never.Cost != 11 {
		t.Errorf("a call of more than the burst: %v, want a NeverError", err)
	}
}

// A call of all the burst needs a limit that is full, and then goes.
func wholeBurst(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(interval), Burst: 5}
	a, b := hold("k", limit), hold("k", limit)
	full := time.Now()
	for i, holder := range []*throttle.Budget{a, b, a, a} {
		ticket, err := holder.Acquire(t.Context(), throttle.Call{Cost: limit.Burst})
		if err != nil {
			t.Fatal(err)
		}
		ticket.Done()
		if least := time.Duration(i*limit.Burst) * interval; time.Since(full) < least-time.Microsecond {
			t.Errorf("call %d of all the burst went after %v, the limit allows it after %v", i, time.Since(full), least)
		}
	}
}

func tooLong(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 1}
	a, b := hold("k", limit), hold("k", limit)
	try(t, a.Acquire, nil)
	for _, holder := range []*throttle.Budget{a, b} {
		_, err := holder.Acquire(t.Context(), throttle.Call{MaxWait: patience})
		if we, ok := errors.AsType[*throttle.WaitError](err); !ok || we.Wait < 50*time.Minute || we.Wait > time.Hour {
			t.Errorf("a call an hour early: %v, want a WaitError of about an hour", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if err := holder.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call an hour early, with a deadline: %v", err)
		}
		if ctx.Err() != nil {
			t.Error("it waited for its deadline, and was not refused at once")
		}
		cancel()
	}
}

// A call that waits and is cancelled costs nothing: the next is as far away as
// it would be without it.
func givesUp(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 1}
	a := hold("k", limit)
	try(t, a.Acquire, nil)
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	for range 5 {
		go func() { waits <- a.Wait(ctx) }()
	}
	for a.State().Waiting < 5 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	for range 5 {
		if err := <-waits; !errors.Is(err, context.Canceled) {
			t.Errorf("a call that was cancelled: %v", err)
		}
	}
	_, err := a.Acquire(t.Context(), throttle.Call{MaxWait: patience})
	if we, ok := errors.AsType[*throttle.WaitError](err); !ok || we.Wait > time.Hour {
		t.Errorf("the next: %v, want a WaitError of an hour at most", err)
	}
}

func keysApart(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 1}
	for _, key := range []string{"a", "b", "A", "a b", "a:b", "{a}", "", "ä\x00\n"} {
		b := hold(key, limit)
		try(t, b.Acquire, nil)
		try(t, b.Acquire, throttle.ErrMaxWait)
	}
}

// Of two who hold a key with different limits each has its own.
func otherLimit(t *testing.T, hold Holder) {
	a := hold("k", throttle.Limit{Rate: rate.Every(time.Hour), Burst: 2})
	try(t, a.Acquire, nil)
	try(t, a.Acquire, nil)
	try(t, a.Acquire, throttle.ErrMaxWait)
	if err := a.SetLimits(throttle.Limit{Rate: rate.Every(time.Hour), Burst: 4}); err != nil {
		t.Fatal(err)
	}
	try(t, a.Acquire, throttle.ErrMaxWait) // nobody gains a burst by a change
}

// coolDown: the refusal that one holder has holds another, also one that has no
// limit at all and has never called.
func coolDown(t *testing.T, hold Holder) {
	a, b := hold("k"), hold("k")
	refuse(t, a, time.Hour)
	_, err := b.Acquire(t.Context(), throttle.Call{MaxWait: patience})
	we, ok := errors.AsType[*throttle.WaitError](err)
	if !ok || we.Cause != throttle.CauseCoolDown || we.Wait > time.Hour || we.Wait < 50*time.Minute {
		t.Errorf("a call in the cool-down of another: %v, want a WaitError of an hour", err)
	}
}

// refuse makes a call that the server refuses, and waits until that is known.
func refuse(t *testing.T, b *throttle.Budget, delay time.Duration) {
	t.Helper()
	ticket, err := b.Acquire(t.Context(), throttle.Call{})
	if err != nil {
		t.Fatal(err)
	}
	ticket.Refused(throttle.Refusal{Delay: func(int) time.Duration { return delay }})
	ticket.Done()
	settle(t, b)
}

// settle waits until the store has answered what the budget had to tell: a call
// that is to go at once, and cannot, is answered by it.
func settle(t *testing.T, b *throttle.Budget) {
	t.Helper()
	time.Sleep(2 * 250 * time.Millisecond) // what a store says is not asked for again before
	_, _ = b.Acquire(t.Context(), throttle.Call{MaxWait: patience})
}

// After a cool-down one call goes at its end, and the others one interval apart,
// whoever makes them.
func afterCoolDown(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(interval), Burst: 10}
	a, b := hold("k", limit), hold("k", limit)
	ticket, err := a.Acquire(t.Context(), throttle.Call{})
	if err != nil {
		t.Fatal(err)
	}
	try(t, b.Acquire, nil)
	ticket.Refused(throttle.Refusal{Delay: func(int) time.Duration { return time.Second }})
	end := time.Now().Add(time.Second - time.Millisecond)
	ticket.Done()
	settle(t, a)
	var l log
	var wg sync.WaitGroup
	l.spend(t, &wg, a, 5)
	l.spend(t, &wg, b, 5)
	wg.Wait()
	l.conforms(t, end, throttle.Limit{Rate: limit.Rate, Burst: 1}, 10)
}

func reset(t *testing.T, hold Holder) {
	a, b := hold("k"), hold("k")
	refuse(t, a, time.Hour)
	a.Reset()
	settle(t, a)
	try(t, a.Acquire, nil)
	try(t, b.Acquire, nil)
}

// A limit that the server publishes to one holder is one for all.
func published(t *testing.T, hold Holder) {
	a, b := hold("k"), hold("k")
	said := throttle.Policy{Name: "p", Limit: 1, Window: time.Hour, Burst: 3, Remaining: 2, Reset: -1}
	answered(t, a, said)
	settle(t, a) // the second
	try(t, b.Acquire, nil)
	try(t, b.Acquire, throttle.ErrMaxWait)
	try(t, a.Acquire, throttle.ErrMaxWait)
}

func answered(t *testing.T, b *throttle.Budget, said ...throttle.Policy) {
	t.Helper()
	ticket, err := b.Acquire(t.Context(), throttle.Call{MaxWait: patience})
	if err != nil {
		t.Fatal(err)
	}
	ticket.Answered(said)
	ticket.Done()
}

// If an answer to one holder says that nothing is left, that holds for all.
func gone(t *testing.T, hold Holder) {
	limit := throttle.Limit{Rate: rate.Every(time.Hour), Burst: 5}
	a, b := hold("k", limit), hold("k", limit)
	answered(t, a, throttle.Policy{Remaining: 0, Reset: -1})
	settle(t, a)
	try(t, b.Acquire, throttle.ErrMaxWait)
}

package throttle

import (
	"context"
	"time"
)

// A Store keeps the limits of budgets that several hold: processes that call
// with one API key, or several budgets of one process. [Budget.SetStore] takes
// the slots of a budget from there. [Memory] is one for a single process, and
// package redisstore one for many.
//
// A store knows nothing of calls. It keeps the TAT of each limit, and moves it
// on by what is asked for: whoever asked has that piece of it as a lease, and
// gives the slots in it to its own calls, in its own order. So one question
// is enough for many calls.
type Store interface {
	// Ask does all that it is asked in one step, on one clock. It is called by
	// a goroutine of its own, never while a budget is locked, and for one
	// budget only once at a time. It has to return before long, whatever
	// became of the store: until then the calls of that budget wait, at most
	// as long as their own deadlines. An error means that nothing is known of
	// what was done; the budget asks again a little later.
	Ask(ctx context.Context, a Ask) (Answer, error)
}

// An Ask is what a budget wants of a [Store]. All times count from the instant
// at which the store acts, so that no two clocks need agree, and are in whole
// microseconds.
type Ask struct {
	Key  string // of the budget
	From uint64 // who asks: each budget has a number of its own

	// Epoch and Parties are those of the last answer; zero if there was none.
	Epoch   int64
	Parties int

	// CoolDown is for how long nobody may call, because the server refused.
	// Zero: nothing was refused. Negative: whatever was said before is over.
	CoolDown time.Duration

	// Horizon is how far ahead the first slot may be. If it would be later,
	// nothing is taken.
	Horizon time.Duration

	// Wants has the limits that a call has to meet. All of them give what is
	// asked for, or none.
	Wants []Want
}

// A Want is what an [Ask] wants of one limit.
type Want struct {
	// Name, Interval and Window say which limit it is: a name that is told apart
	// within the budget, T, and τ + T. With another T or τ it is another limit.
	Name     string
	Interval time.Duration
	Window   time.Duration

	// Take is by how much to move TAT, k·T for k calls. Zero: not at all. A
	// store may give less, but no less than First, which is for the first call.
	Take  time.Duration
	First time.Duration

	// Ahead is where TAT is put, from now on, if it lies before that: so far
	// ahead it may be used late, and still conform.
	Ahead time.Duration

	// New is where TAT stands, from now on, in a limit that the store does not
	// have. Zero: all of the burst is there; where others hold the budget, or the
	// store may have lost what it had, no more than one call is. Known is the
	// token of the last lease, before whose end TAT cannot be; zero if there was
	// none.
	New   time.Duration
	Known int64

	// Back is how much of the lease that ended with the token BackTo will not be
	// used. It is taken back if that is where TAT stands still.
	Back   time.Duration
	BackTo int64

	// Seen is where the TAT of the server must be, by its answers; nil if they
	// said nothing. What it leaves possible beyond what is known counts only while
	// nobody else holds the budget.
	Seen *Bounds

	// Debt is by how much less is left at the server than should be, as time: TAT
	// is moved on by it. Negative: more is left, and TAT is moved back, if calls
	// have to wait. Neither is done while the slots from before the last time are
	// still being used. Zero: all is as it should be.
	Debt time.Duration

	// Policy is what the server published, where the limit comes from that;
	// else nil.
	Policy *Policy
}

// Bounds are the least and the greatest TAT that an answer of the server leaves
// possible. The greatest does not count what others have taken.
type Bounds struct{ Lo, Hi time.Duration }

// An Answer is what came of an [Ask]. Its times count from the same instant.
type Answer struct {
	// Epoch says whose tokens those of the leases are; they mean nothing in
	// another. It is not zero.
	Epoch int64

	// Now is when the store acted, in microseconds of its own clock. Zero means
	// that it does not say; then a lease begins when its answer comes, which is
	// later by a time that is another each time.
	Now int64

	// Parties is how many hold the budget, as far as they asked of late.
	Parties int

	// Wait is when the first slot would be, if that is beyond the horizon, so
	// that nothing was taken; else zero.
	Wait time.Duration

	// CoolDown is for how long nobody may call; zero if there is no such time.
	CoolDown time.Duration

	// Void says that no lease of an earlier answer may be used any more.
	Void bool

	// Policies are what servers published to all who hold the budget, for one
	// that asks for the first time.
	Policies []Policy

	// Leases has one for each of the Wants, in their order.
	Leases []Lease
}

// A Lease is the piece of the TAT of a limit, from Start to End, that was taken.
// If nothing was, both are where TAT stands.
type Lease struct {
	Start, End time.Duration
	Token      int64 // End by the clock of the store; not zero
}

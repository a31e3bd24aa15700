// Package throttle keeps calls within a rate and a burst.
//
// Most programs that have one limit want [Limiter], which takes the place of
// that of golang.org/x/time/rate: change the import, and keep the rest. Those
// that call over HTTP want package transport, which is built on this one.
//
// A [Budget] is the schedule of what a server counts together: several limits
// that all bind, a cool-down after a refusal, a cap on the calls under way, and
// [Lane]s for classes of calls with limits of their own. [Keyed] holds one for
// each key. [Budget.Acquire] waits for a slot and returns a [Ticket], which
// takes what the server answered: the limits it publishes, and its refusals. If
// answers show that some calls are counted by themselves, these have a queue and a
// cool-down of their own within the budget: see [Ticket.Unsettled].
//
// # Budgets that several hold
//
// [Budget.SetStore] lets budgets share their limits and cool-downs, by a [Store]:
// those of one process by [Memory], those of many by package redisstore. Slots
// are leased, some at a time, and waiting is as without a store.
//
// # How it counts
//
// Each limit is a generic cell rate algorithm (ITU-T I.371): one number, the
// theoretical arrival time (TAT) of the next call. With the emission interval
// T = 1/Rate and the tolerance τ = (Burst−1)·T, a call at instant t conforms if
// t ≥ TAT − τ, and then the TAT becomes max(t, TAT) + T. A call of cost n
// counts as n.
//
// # Waiting
//
// A slot is given when it is due, not when it was asked for. Nobody who gave up
// has used anything up, and a limit that changes holds for those who wait as
// well. Between calls of one lane the order is that of their arrival, within
// the classes of [Priority], where High goes first but cannot starve the rest.
// Nothing runs in the background: while calls wait there is one timer.
//
// # Time
//
// Waiting goes by the monotonic clock. The methods that end in At take the time
// from the caller, for simulations and for requests that have an instant of
// their own.
package throttle

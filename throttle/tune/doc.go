// Package tune chooses the burst of a rate limit from the calls that clients
// really make. The rate of a limit is what one advertises; its tolerance is the
// only free parameter, and decides whether clients that keep the rate ever
// notice the limit.
//
// Most callers want [Read]: logs in, a [Report] out. Who has arrivals of another
// kind gives them to a [Tuner].
//
//	report, err := tune.Read(tune.Options{}, tune.Log{Name: "access.log", Reader: file})
//
// # The method
//
// Calls of one client that follow each other within a gap, 500 ms by default,
// are one cluster: a page that loads, an app that wakes up. The 99th percentile
// of the sizes of clusters is the burst that clients really produce, and with a
// fifth more it is the burst to allow them. What machines send in one go they
// could spread, so for them it is the batch itself, and where somebody may be
// guessing passwords it is next to nothing: see [ClientType].
//
// Then the calls are replayed, client by client, against a GCRA for each of many
// bursts. The smallest at which next to nothing is refused is enough; more only
// constrains abuse less.
//
// Nothing here is for enforcing. Let the limit run in shadow mode first, publish
// the rate and the burst, and put both into the key under which schedules are
// stored: one that was computed with another tolerance belongs to neither.
//
// # Two ways to count a burst
//
// With the emission interval T and the tolerance τ, a GCRA lets ⌊τ/T⌋ + 1 calls
// go back to back from rest. Some call τ/T the burst; the Limit of package
// throttle, like a token bucket, calls the number of calls so, which is one
// more. A [Burst] has both, under names that cannot be mistaken.
//
// # Memory
//
// A log is read once, and what is kept is a constant a client and class, and a
// number for each size that clusters have: no call is kept, but for those that
// are held back to be sorted.
package tune

// Package simulate says what a rate-limited server does to a list of request
// times. It is a set of server models and an event loop in virtual time: it
// reads no clock, starts no goroutine, and the same seed gives the same run.
//
// Most callers want [Replay] or [Run]: a [Server] and a list of arrivals in,
// one [Step] for each arrival or one [Summary] out.
//
//	bucket, err := simulate.NewTokenBucket(simulate.Rate{Count: 1, Per: time.Second}, 5)
//	sum, err := simulate.Run(bucket, simulate.List(arrivals).All())
//
// To try clients against a server, put the model in a [Site], give each
// [Process] a [Strategy] and a [Network], and run the [Loop] that they share.
//
// Every instant is a [time.Duration] since the start of the run, every cost a
// whole number of units; who needs fractions counts in smaller units. Nothing
// in this package may be shared between goroutines: a run is one goroutine's,
// and many runs may go in parallel.
//
// The models share no code with the limiters of this module, so a limiter that
// is wrong cannot excuse itself.
package simulate

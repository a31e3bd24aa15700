// Package redisstore is one budget for many processes, over Redis: those that
// share an API key share its limit.
//
//	store, err := redisstore.Open(os.Getenv("REDIS_URL"))
//	if err != nil {
//		return err
//	}
//	client := &http.Client{Transport: &transport.Transport{Store: store}}
//
// The processes need not know of each other, and their clocks may differ. Limits
// that are set by hand are shared with all who set the same; those that the
// server publishes are shared, and told to processes that start later; a
// cool-down after a refusal holds for all, and when it is over they leave one
// by one.
//
// # What it costs
//
// One script, in one step on one hash tag, reserves slots on the clock of Redis
// and returns relative delays. Slots are leased for a fifth of a second of a
// process's own calls, 64 at most: a process that makes a hundred calls a second
// costs less than 0.1 operations a call. A process that crashes takes its
// lease with it, and no more.
//
// # When Redis is away
//
// If Redis is down, or does not answer within [Store.Timeout], each process goes
// on alone with its part of every limit, and asks again after a second or two.
// No call fails by it, none waits for longer than that once, and nothing is
// ever unlimited. When Redis is back all return to it by themselves. They take it
// that nothing is left of the burst then, whatever Redis has in memory.
// [Store.Observe] tells, and so does [Store.Mode].
//
// # What it needs
//
// It needs Redis 5 or later, or Valkey, and a user who may run scripts (EVALSHA
// and EVAL) that read the time and write strings, hashes and sorted sets below
// [Store.Prefix]. All keys expire an hour after they are of no more use. They
// hold the keys of the budgets, which must be no secrets. A limit that Redis
// does not know, or not any more, starts with one call, not with its burst.
package redisstore

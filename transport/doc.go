// Package transport keeps the calls of an http.Client within the rate and burst
// that each server publishes.
//
// Wrap the client's Transport, and call as before:
//
//	client := &http.Client{Transport: &transport.Transport{}}
//
// Nothing has to be set: the limits are read from the answers. Those that a
// server does not publish can be set by hand with the field Limits, for hosts
// and paths. A refusal (429) that comes all the same is waited out by everybody
// who calls that server, and the call is sent again.
//
// One host may have several limits: GitHub counts searches apart from other
// calls, and Discord each kind of call. Answers that name different limits show
// it, and by their paths which calls belong together. A call of a path like none
// before is taken to be like its neighbours until it is answered. Servers that
// do not name their limits are told apart with a Key of your own.
//
// To see what it does, set Observe, or Record for a file; to see what it would
// do, and have it do nothing, Shadow.
//
// What one call costs, and how urgent it is, is said in its context: see
// WithCost, WithPriority and WithoutLimit of package throttle.
package transport

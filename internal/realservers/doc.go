// Package realservers has no code, only tests: they run the Transport against
// rate limiters that were written by others, over loopback. The client is told
// nothing of the limits; the tests know them.
//
// It is a module of its own because of what these servers need, and is not for
// import.
package realservers

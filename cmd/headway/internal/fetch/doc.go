// Package fetch downloads a list of URLs, each once, and keeps each answer whole
// or not at all, so that a run that was cut off can be gone on with.
//
// A [Plan] is the list, a [Folder] or [Lines] is where the answers go, and
// [Job.Run] fetches. When a call may go is not decided here: that is up to the
// http.RoundTripper of the Job.
//
// The list is on disk, in a temporary file, so that it may be longer than memory.
package fetch

package headers

import "time"

// A Policy is one limit as a server publishes it. Most callers want Limit and
// Window, the sustained quota, and Remaining and Reset, what is left of it.
//
// Counts are finite and never negative, durations are never negative. What the
// server did not say is absent, or zero where the field is no [Opt]. A Policy
// is a plain value: copy it, compare it with ==, share it freely.
type Policy struct {
	// Name is the server's name for the limit: a policy name, the value of a
	// resource or bucket field, or the words of a field name that tell one
	// limit from the next. Empty where there is none.
	Name string
	// PartitionKey is the IETF parameter pk, decoded: which share of the limit
	// is meant. Compare it; it has no other meaning.
	PartitionKey string
	// Limit is how many units may be used per Window. It may be zero.
	Limit Opt[float64]
	// Window is the length of the window; zero means not published. Without it
	// no rate follows from Limit.
	Window time.Duration
	// Burst is the capacity of the bucket, as published: zero means no burst
	// beyond the rate.
	Burst Opt[float64]
	// Remaining is what may still be used now; never above Limit and Burst.
	Remaining Opt[float64]
	// Reset is the time from now until the server counts anew, at most 366
	// days. Servers mean the end of a window, the time to a full bucket, or
	// the time to the next unit.
	Reset Opt[time.Duration]
	// Unit is what is counted: "requests" unless the server says otherwise.
	// Other units must not be used as a request rate.
	Unit string
	// Cost is what this one call has used of the limit, where published.
	Cost Opt[float64]
	// Kind is the sort of statement, as far as the fields tell.
	Kind Kind
	// Dialect says in which family of fields the server spoke, for people to
	// read: "ietf", "ratelimit", "x-ratelimit", "x-hubspot-ratelimit", …
	Dialect string
}

// A Kind is a sort of statement about a limit.
type Kind uint8

// The kinds of statement.
const (
	// Quota is a count per window, or what is left of one. The kind of server
	// behind it is not known.
	Quota Kind = iota
	// Bucket describes a token bucket: Limit per Window is its refill rate and
	// Burst its capacity.
	Bucket
	// Rate is a sustained rate alone; the capacity is not published.
	Rate
	// Share tells how much of an unpublished limit is used, in percent.
	Share
	// Charge tells only what this call has cost.
	Charge
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	names := [...]string{"quota", "bucket", "rate", "share", "charge"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// A Result is what one response said.
type Result struct {
	// Policies are the limits, each once; all of them hold. Their order depends
	// on the fields only, newest dialect first.
	Policies []Policy
	// RetryAfter is the wait that the server asked for, whatever the status:
	// on a 2xx it is no refusal. At most 366 days; the caller needs a much
	// smaller ceiling of its own.
	RetryAfter Opt[time.Duration]
	// Global says whom a refusal concerns: true is everybody who shares any
	// limit of the server, false those only who share the one that it names.
	// Absent, as nearly always, the server does not say.
	Global Opt[bool]
}

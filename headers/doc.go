// Package headers reads what a server says about its rate limits, and writes it
// for a server of one's own.
//
// Most callers want [Parse]: a header and a time in, plain values out. It knows
// the IETF fields RateLimit and RateLimit-Policy in all their drafts, the
// X-RateLimit-* families of most APIs, the formats that single providers have
// made up, and Retry-After in all the forms in use. [Any] tells cheaply whether
// there is something to read, [RetryAfter] reads only that, [Explain] says how
// each field was read or why it was ignored, [Overrides] holds what no field
// tells, and [Set] writes the IETF fields.
//
// # How names are read
//
// A name is taken apart into words: X-RateLimit-Remaining-Tokens-Minute is the
// role "remaining", the unit "tokens" and the window "minute". Unknown words
// before "rate limit" are a vendor's name, those after it tell one limit from
// the next. So there is no list of providers, except for formats that no rule
// could guess; each of these is one row of a table.
//
// # What is not read
//
// A field that cannot be understood is ignored, not guessed at: numbers with a
// sign or an exponent, dates without a zone, broken structured fields, delays
// beyond 366 days, names above 128 and values above 4096 bytes, counters of a
// response from a cache (Age above zero). Absent is not zero; see [Opt].
//
// # What to make of it
//
// The values are hints from a server that may be wrong or hostile. All policies
// hold at once. Retry-After beats Reset. Only a limit with a window is a rate;
// only a policy whose Unit is "requests" counts calls. A consumer needs a small
// ceiling of its own on every wait.
//
// All functions are pure and safe for concurrent use. They share one memory of
// fixed size, of what the names seen lately mean.
//
// Sources: draft-ietf-httpapi-ratelimit-headers-00 to -11, RFC 9110 section
// 10.2.3, RFC 9651, RFC 3339, and the documentation of the providers.
package headers

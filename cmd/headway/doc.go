// Headway shows what an HTTP API says about its limits, and what follows from
// it for a program that calls as fast as the API allows, and no faster.
//
//	headway explain [FILE]   read the head of a response, or a HAR file
//	headway probe URL        send one request, and explain the answer
//	headway league           play client strategies against simulated servers
//
// headway COMMAND --help tells of the flags. The exit status is 0, or 1 if the
// network failed, or 2 if the input or the flags make no sense, or 130 if the
// user stopped it; then there is one line on stderr that says what, and where.
//
// # JSON of explain and probe
//
// What --json writes is one object, and of a HAR file an array of them, one for
// each host. All times are in seconds; null is what nobody said.
//
//	source                 the file or the URL, without its query
//	host, entry            of a HAR file: the host, and which entry it was; else absent
//	responses, publishing  of a HAR file: how many of the host, and how many that publish something
//	status                 of the response; null if it had none
//	now                    when the response is taken to have come, RFC 3339
//	cached                 whether it came from a cache, so that its counters count for nothing
//	policies               as in --batch, and with
//	  partition_key        the IETF parameter pk
//	  kind                 quota, bucket, rate, share or charge
//	  dialect              the family of header fields
//	retry_after_seconds    the wait that the server asked for
//	fields                 the header lines that were looked at
//	  name, value          the value is cut after 256 bytes
//	  role, read           what the line says, and its value where it is a single one
//	  dialect              the family
//	  ignored              why it was not used; null if it was
//	schedule               what a transport.Transport makes of all this
//	  limits               one for each policy that gives a pace
//	    policy, basis      its name; bucket, window or remaining: what the limit follows from
//	    rate_per_second    in the long run; null for no limit
//	    burst              B calls may go back to back from rest
//	    interval_seconds   T, 1/rate
//	    tolerance_seconds  τ = (B−1)·T
//	    margin_seconds     of τ, kept back for the network
//	  refused              whether the response is a refusal
//	  cool_down_seconds    how long nobody may call because of it
//	  next_call_seconds    when the next call may go, from now on
//	  next_call_at         the same as an instant, RFC 3339
//	  calls                always 100
//	  calls_known          how many of them have a known time
//	  calls_seconds        when the last of these may go, from now on
//	  unknown              why not all of them are known; null if they are
//
// # Batch
//
// What --batch reads is an array of objects with id, now (RFC 3339) and headers
// (pairs of a name and a value); others of their fields are passed over. What
// it writes is an array of as many objects, in the same order:
//
//	id                     as it was read
//	policies
//	  name                 the server's name for the limit
//	  limit                how many units may be used in a window
//	  remaining            how many are left
//	  window_seconds       the length of the window
//	  burst                the capacity of the bucket, as published
//	  reset_seconds        until the server counts anew
//	  unit                 what is counted: requests, tokens, …
//	  cost                 what this one call has used
//	retry_after_seconds    the wait that the server asked for
//
// # JSON of league
//
// What --json writes is an array of objects, one for each scenario and
// strategy. A figure is the mean over the seeds.
//
//	scenario, strategy       their names
//	seeds                    how many there were
//	utilisation              what the server admitted, of the neighbours' calls too, of what it could have
//	refused_ratio            the share of our requests that were refused, every attempt a request
//	refused_worst            the same, with the seed that is worst
//	refused_total            how many requests were refused
//	neighbour_refused_ratio  the share of the neighbours' calls that were refused
//	makespan_ratio           how long all calls together took, of the least that is possible;
//	                         null if some were left, or it was not measured
//	p50_wait_s, p99_wait_s, max_wait_s
//	                         how long calls that succeeded waited in the client, in seconds
//	jain                     the fairness between processes or threads, 1 at best
//	stdev                    the deviation of how many requests each of them had answered
//	herd_peak                the most arrivals within 100 ms
package main

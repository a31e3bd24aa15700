// Headway shows what an HTTP API says about its limits, and what follows from
// it for a program that calls as fast as the API allows, and no faster.
//
//	headway explain [FILE]   read the head of a response, or a HAR file
//	headway probe URL        send one request, and explain the answer
//	headway simulate [FILE]  play request times against models of a limit
//	headway backoff          show when the retries of a policy come
//	headway proxy            pace what any program sends, as an HTTP proxy
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
// # Input of simulate
//
// One request a line: its time in seconds, or time:cost. Times must not go
// backward; costs have up to three decimals. Blank lines are passed over, and so
// is what follows a #. Any error names the line and the request, and nothing is
// written then.
//
// # JSON and CSV of simulate
//
// What --json writes is one object. Times are in seconds from 0, costs and
// tokens in calls:
//
//	requests               how many there were
//	first_seconds, last_seconds
//	                       the times of the first and the last of them
//	burst_window_seconds   the span of largest_burst
//	models                 one for each, in the order of the flags
//	  parameters           model, and those that it has, given or derived: bucket, refill,
//	                       start, t, tau, limit, window, tick, count_refused, servers
//	  burst                how many calls go back to back from rest, 1 + τ/T;
//	                       where τ/T is called the burst, it is one less
//	  allowed, refused     calls
//	  allowed_cost, refused_cost
//	                       what they cost together
//	  average_rate         allowed_cost per second from the first request to the last;
//	                       0 if all came at once
//	  largest_burst        the most that was allowed within burst_window_seconds
//	steps_left_out         how many requests are not in steps; with --all none
//	steps                  the first 100 requests
//	  time_seconds, cost
//	  results              one for each model
//	    allowed
//	    tokens_before, tokens_left
//	                       what was there before the request, and after it
//	    retry_at_seconds   when it would be allowed if nobody else came; null if it was.
//	                       Of several servers it is the one that had the request
//
// What --csv writes has a line for each request and model, and these columns:
// time, cost, model, tokens_before, allowed, tokens_left, retry_at.
//
// # JSON and CSV of backoff
//
// What --json writes is one object, for a call whose every attempt fails:
//
//	policy                 the fields of a backoff.Policy, with their defaults in place
//	  initial_seconds, max_seconds, multiplier, jitter, hint_jitter, attempts
//	  elapsed_seconds      null for no bound
//	attempt_seconds        how long each attempt takes
//	schedules              one without Retry-After, and one with it if --retry-after is given
//	  retry_after_seconds  null for none
//	  retries
//	    retry              from 1
//	    shortest_seconds, mean_seconds, longest_seconds
//	                       the wait before it
//	    earliest_seconds, expected_seconds, latest_seconds
//	                       when it begins, from the start of the first attempt
//	    reached            always, perhaps or never: whether elapsed_seconds lets it come
//	  worst_seconds        until the last attempt has failed, at worst
//	  expected_seconds     the same on average; null if elapsed_seconds may end it before
//
// What --csv writes has a line for each schedule and retry, and these columns:
// retry_after, retry, shortest, mean, longest, earliest, expected, latest, reached.
//
// # Requests to proxy
//
// The port of --listen takes requests with a whole URL, as a client makes them
// that has http_proxy in its environment (curl wants that name in lower case).
// CONNECT, with which clients ask for a tunnel to https, is refused, for nothing
// in a tunnel can be paced. Requests without a host in their target get the pages.
//
// Each --upstream has a port of its own: those that follow --listen, in their
// order, or the PORT before its URL. Paths and queries go there unchanged, the
// Host field becomes the upstream's, and links to it in Location,
// Content-Location and Link come back as links to the port. Bodies and cookies
// are not looked at.
//
// All else is given on as it comes, both ways and at once: bodies and trailers,
// Expect: 100-continue, other informational answers, switches of protocol as for
// WebSocket. Fields that concern one connection only are taken out, and none is
// added without --forwarded. To servers it is HTTP/2 where they speak it; it goes
// through no other proxy, whatever the environment says. Calls to the proxy
// itself are refused, and those to link-local addresses, which an upstream may
// have.
//
// A body of up to 64 KiB, of known length and without Expect, is read before its
// call waits. Such a call is sent again when it is refused, and given up as soon
// as its client is gone. A longer one is sent once; while it waits nobody can see
// that its client is gone.
//
// What the proxy says itself has a field Proxy-Status (RFC 9209) that begins with
// headway, and is text, or JSON to a client whose Accept field has json in it:
//
//	429  the call would have had to wait longer than --max-wait, for a limit or a
//	     cool-down; with Retry-After
//	503  the same for --concurrency, or there are too many that wait, or the proxy
//	     is being stopped; with Retry-After
//	502  no connection, or no valid answer; 504 if it took too long
//	501  CONNECT
//	508  the call would come back to the proxy
//	421  the Host field is a name that is none of the proxy's; see --name
//	403  the address is an internal one; see --allow-internal
//	400  the request makes no sense
//
//	error          the kind of error, after RFC 9209
//	message        the same for people
//	key            of the budget, where there is a wait; else absent
//	cause          limit, cool-down, concurrency or queue; else absent
//	wait_seconds   how long it would have had to wait; else absent
//
// # Pages of proxy
//
// A page is / for people, and /status.json for programs:
//
//	now                      RFC 3339
//	stopping                 whether the proxy is being stopped
//	upstreams
//	  base_url, upstream     here, and there
//	budgets                  one for each key
//	  key                    the host; behind a # a hash of what --key-header names
//	  waiting, in_flight     calls; those under way are counted if --concurrency is given
//	  next_slot_seconds      until a new call could go
//	  cool_down_seconds      until the end of what a refusal began
//	  limits                 those that hold
//	    pattern              of a --limit; empty for what was learned
//	    rate_per_second      null for no limit
//	    burst                how many calls go back to back from rest
//	    interval_seconds     1/rate
//	    tokens               how many calls it would let go at once
//
// What /metrics has is described there; besides that of a Go process it is, with
// headway_proxy_ before each name:
//
//	calls_total              by key, outcome (answered, or why not) and code
//	server_refusals_total    attempts that a server refused, by key
//	retries_total            attempts after the first, by key
//	wait_seconds             a histogram, by key
//	waiting, in_flight, next_slot_seconds, cool_down_seconds
//	                         as in /status.json
//	limit_calls_per_second, limit_burst, limit_tokens
//	                         by key, pattern and number of the limit
//
// Neither these nor the log show a path, a query, a header field or a body. What
// the log says of a key it says once a minute at most.
//
// After Ctrl-C and SIGTERM the exit status is 0 if all calls under way could end,
// and 130 if some were cut off after --grace.
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

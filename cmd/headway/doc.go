// Headway shows what the limit of an HTTP API is and does, for programs that call
// as fast as it allows, and no faster: it explains what a server says of it, plays
// request times and client strategies against it, and tells when retries come.
//
//	headway explain [FILE]   read the head of a response, or a HAR file
//	headway probe URL        send one request, and explain the answer
//	headway simulate [FILE]  play request times against models of a limit
//	headway tune [FILE…]     choose the burst of a limit from access logs
//	headway backoff          show when the retries of a policy come
//	headway league           play client strategies against simulated servers
//	headway serve            serve a page for all of this, or a rate-limited test server
//
// headway COMMAND --help tells of the flags. The exit status is 0, or 1 if the
// network failed, or 2 if the input or the flags make no sense, or 130 if the
// user stopped it; then there is one line on stderr that says what, and where.
// Ctrl-C is how serve ends well.
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
// time, cost, model, tokens_before, allowed, tokens_left, retry_at. Where there
// are several models, the name of each has its number before it, as "2 gcra".
//
// # JSON and CSV of tune
//
// What --json writes is one object. A burst is given in both of the ways in which
// one speaks of it, and shares are from 0 to 1:
//
//	gap_seconds            the most that calls of one cluster are apart
//	percentile             of the sizes of clusters that counts, 99 for p99
//	close_to_zero          the share of calls that may be rejected
//	from, to               the first call and the last, RFC 3339
//	calls, clients         that were measured
//	late_calls             that stood in the log too late, and are not among calls
//	left_out_calls         of clients beyond a million, and not among calls
//	logs                   one for each file
//	  name, format
//	  calls, bad_lines     how many lines were a call, and how many should have been
//	  first_bad            up to five of them: line (0 if problem names an entry) and problem
//	  whole_second         calls whose time is in whole seconds
//	all                    all calls of a client under one limit, as a class
//	classes                each class of calls, as if it had a limit of its own
//	  name                 a pattern of http.ServeMux, or what the log calls it; (all),
//	                       (no route), (not found) or (other)
//	  type, type_why       the type of client, and what tells
//	  limit                count, window_seconds, interval_seconds (T)
//	  calls, clients
//	  clusters             count, mean, median, percentile and max of the calls in a cluster;
//	                       loops, how many look like loops, and are not among count;
//	                       sizes, of which each has size and clusters
//	  advised              the burst by the matrix
//	    tau_over_t         τ/T, which some call the burst
//	    back_to_back       τ/T + 1, the calls that go at once from rest: Burst in package throttle
//	    tolerance_seconds  τ
//	    window_share       τ as a share of the window
//	  enough               the smallest candidate at which no more than close_to_zero of the
//	                       calls are rejected, those of loops left out; null if there is none
//	  candidates           all up to the first that rejects nothing, what is advised, and
//	                       --candidates; each has the members of advised and
//	    rejected, reject_rate
//	                       of all calls
//	    reject_rate_without_loops
//	    near_limit_rate    the share of calls that passed with no room for one more behind them
//	    worst_wait_seconds of a rejected call, until it would have passed
//	    worst_queue_seconds
//	                       of a client that waits its turn instead, loops left out
//	loops, loop_clients    the first 20 clients that look like runaway loops (client, calls,
//	                       why), and how many there are
//	matrix                 the tolerance by type of client: type, who, tau_over_t, why
//	warnings               kind, classes (none if it is about all), text
//
// What --csv writes has a line for each class and candidate. Its columns have the
// names of these members.
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
// # Serve
//
// The page simulates limits, chooses a burst from a log and draws backoff
// schedules, in a browser on the same machine. All that it needs is in this
// program, and what it is given is computed here and kept nowhere. Its address
// holds what was entered, so that a link brings it back.
//
// It listens on 127.0.0.1, unless --addr names another address. Browsers may ask
// for it as localhost, by a loopback address and by the host in --addr; if that
// is 0.0.0.0 or [::], by any address. Other names are refused with status 421,
// and what other sites send with 403.
//
// With --limited it is another server, to try clients against: each call counts
// against one limit. The models are those of package simulate, from rest; windows
// begin on the minute, or wherever their length divides the time since 1970.
// X-RateLimit-Limit is the burst, and of a window its count. Windows of whole
// seconds publish no burst besides.
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

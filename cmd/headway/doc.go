// Headway shows what the limit of an HTTP API is and does: it explains what a
// server says of it, plays request times and client strategies against it, chooses
// a burst from a log, and tells when retries come. And it calls as fast as the limit
// allows, and no faster: for lists of URLs, and for programs in any language.
//
//	headway explain [FILE]   read the head of a response, or a HAR file
//	headway probe URL        send one request, and explain the answer
//	headway simulate [FILE]  play request times against models of a limit
//	headway tune [FILE…]     choose the burst of a limit from access logs
//	headway backoff          show when the retries of a policy come
//	headway fetch URL...     download a list of URLs, as fast as their servers allow
//	headway proxy            pace what any program sends, as an HTTP proxy
//	headway league           play client strategies against simulated servers
//	headway serve            serve a page for all of this, or a rate-limited test server
//
// headway help COMMAND tells of the flags. The exit status is 0, or 1 if the
// network failed, a part could not be fetched or stdout takes no more, or 2 if the
// input or the flags make no sense, or 130 if the user stopped it; then there is
// one line on stderr that says what, and where. Ctrl-C is how serve ends well.
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
//	  candidates           those tried, up to the first that rejects nothing, and --candidates:
//	                       each τ/T to 32, then 8 to each doubling, so what is advised may lie
//	                       between two; each has the members of advised and
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
// # Input of fetch
//
// A list has one http or https URL a line, of at most 16 KiB. Spaces around it,
// blank lines and lines that begin with # are passed over. All of it is read
// before anything is sent, into a temporary file, and an error names the first
// line that makes no sense. Two URLs are the same if they are but for the case of
// scheme and host, a default port, and what follows a #; the second is passed
// over. Ranges as {1..500} are read in arguments only. URLs with a user name are
// refused, since they would put a password into files.
//
// One call of a host at a time waits for its limit, and up to 64 hosts are asked
// at once; the next takes the place of one of which nothing is left. A host is
// given up for this run if it asks for a wait of over --max-wait, or if 50 calls
// in a row had no answer, or the first 10.
//
// # Files of fetch
//
// With --out, the body of the answer to a URL is in a file whose name follows from
// the URL alone, so that the next run can tell what is there. It is the host and
// the path, with _ for /, + for the : before a port, and http= at the front of a
// URL that is not https:
//
//	https://api.test/items/17       api.test_items_17
//	http://127.0.0.1:8080/items/17  http=127.0.0.1+8080_items_17
//
// If there is more in the URL than lower-case letters, digits, dots and hyphens, as
// a query or an underscore, or if the name would end with a dot or have over 120
// characters, then what does not fit is a hyphen or cut off, and ~ and the first
// 16 digits of the URL's SHA-256 are added before the extension:
//
//	https://api.test/Photo.JPG      api.test_photo~56747d1dba25b08f.jpg
//
// So no two URLs share a name, on systems either that do not tell A from a; none
// leads out of the folder, begins with a dot or a hyphen, or is long. An _ is
// before names that Windows keeps for devices. What a query says can be read in
// the name, so a key is better sent with -H.
//
// What is under way is in the folder .headway within, with a lock that keeps a
// second process out. A body has its name once it is whole, and on disk: it is
// not if it is shorter than its Content-Length, or its chunks have no end. (An
// answer with neither ends where the connection does; then nobody can tell.) One
// that was compressed for the way is kept as it was before. The bodies that
// --keep-errors keeps are in the folder errors.
//
// With --jsonl, there is a line for each answer:
//
//	url, status            of the call; after redirects the status is that of the last
//	type                   the Content-Type
//	body                   JSON if that is its type, in one line, else a string
//	body_base64            in the place of body, if it is not UTF-8
//
// Lines are in the order in which the answers came. Bodies of over 16 MiB fail. A
// line that a crash has torn off at the end is removed by the next run; nothing
// else in the file is changed, and a file with other lines is left alone. Beside
// FILE, .FILE.lock keeps a second process out. With --keep-errors there are lines
// whose status is not 2xx; their URLs are asked for again by the next run.
//
// # JSON of fetch
//
// What --json writes is one object:
//
//	listed                 URLs that were given
//	fetched                by this run
//	already_there          by an earlier one
//	repeated               in what was given
//	failed, not_tried      the rest; after Ctrl-C a call that was cut off is not tried
//	bytes                  of the bodies
//	seconds                how long it took
//	requests_sent          those of redirects and those that were sent again included
//	refused_by_server      how many of them were
//	sent_again             after a refusal or a fault
//	longest_wait_seconds   that one of them waited for a limit
//	causes                 of what failed, the most frequent first, at most 51
//	  cause, count
//	  examples             at most three URLs, without their queries
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

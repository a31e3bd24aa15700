package headers

// More of the same, mostly providers with habits of their own.
var providerCases = []moreCase{
	{"bitmex one second", "x-ratelimit-limit: 120\nx-ratelimit-remaining: 119\nx-ratelimit-reset: 1796050801\nx-ratelimit-remaining-1s: 9",
		[]string{"limit=120 remaining=119 reset=1s", "window=1s remaining=9"}},
	{"gate.io", "X-Gate-RateLimit-Requests-Remain: 199\nX-Gate-RateLimit-Limit: 200\nX-Gate-RateLimit-Reset-Timestamp: 1796050810",
		[]string{"limit=200 remaining=199 reset=10s"}},
	{"yelp", "RateLimit-DailyLimit: 5000\nRateLimit-Remaining: 4999\nRateLimit-ResetTime: 2026-12-01T00:00:00+00:00",
		[]string{"limit=5000 window=24h0m0s remaining=4999 reset=9h0m0s"}},
	{"foursquare path", "X-RateLimit-Limit: 500\nX-RateLimit-Remaining: 499\nX-RateLimit-Path: /v2/users/X", []string{"limit=500 remaining=499"}},
	{"spoonacular", "X-API-Quota-Request: 1\nX-API-Quota-Used: 2\nX-API-Quota-Left: 148", []string{"name=api limit=150 remaining=148"}},
	{"rapidapi", `
		X-RateLimit-Requests-Limit: 500
		X-RateLimit-Requests-Remaining: 498
		X-RateLimit-Requests-Reset: 1209600
		X-RateLimit-Rapid-Free-Plans-Hard-Limit-Limit: 500000
		X-RateLimit-Rapid-Free-Plans-Hard-Limit-Remaining: 499998
		X-RateLimit-Rapid-Free-Plans-Hard-Limit-Reset: 2591999`,
		[]string{"limit=500 remaining=498 reset=336h0m0s", "name=rapid-free-plans-hard limit=500000 remaining=499998 reset=719h59m59s"}},
	{"api-football", "x-ratelimit-requests-limit: 100\nx-ratelimit-requests-remaining: 99\nX-RateLimit-Limit: 10\nX-RateLimit-Remaining: 9",
		[]string{"limit=100 remaining=99", "limit=10 remaining=9"}},
	{"crossref", "x-rate-limit-limit: 50\nx-rate-limit-interval: 1s\nx-concurrency-limit: 5",
		[]string{"limit=50 window=1s", "unit=concurrency limit=5"}},
	{"discogs", "X-Discogs-Ratelimit: 60\nX-Discogs-Ratelimit-Used: 1\nX-Discogs-Ratelimit-Remaining: 59", []string{"limit=60 remaining=59"}},
	{"trakt", `X-Ratelimit: {"name":"UNAUTHED_API_GET_LIMIT","period":300,"limit":1000,"remaining":999,"until":"2026-11-30T15:04:00Z"}`,
		[]string{"name=UNAUTHED_API_GET_LIMIT limit=1000 window=5m0s remaining=999 reset=4m0s"}},
	{"brevo", "x-sib-ratelimit-limit: 100\nx-sib-ratelimit-remaining: 99\nx-sib-ratelimit-reset: 3600", []string{"limit=100 remaining=99 reset=1h0m0s"}},
	{"zuora", `
		RateLimit-Limit: 40000, 40000;w=60, 2250000;w=3600
		RateLimit-Remaining: 39999
		RateLimit-Reset: 53
		Concurrency-Limit-Type: Default
		Concurrency-Limit-Limit: 40
		Concurrency-Limit-Remaining: 39`,
		[]string{"limit=40000 window=1m0s remaining=39999 reset=53s", "limit=2.25e+06 window=1h0m0s", "unit=concurrency limit=40 remaining=39"}},
	{"akamai", "X-RateLimit-Limit: 60\nX-RateLimit-Remaining: 59\nX-RateLimit-Next: 2026-11-30T15:00:29.770Z",
		[]string{"limit=60 remaining=59 reset=29.77s"}},
	{"rollbar", "X-Rate-Limit-Limit: 5000\nX-Rate-Limit-Remaining: 4999\nX-Rate-Limit-Reset: 1796050860\nX-Rate-Limit-Remaining-Seconds: 60",
		[]string{"limit=5000 remaining=4999 reset=1m0s"}},
	{"groq audio", "x-ratelimit-limit-audio-seconds: 7200\nx-ratelimit-remaining-audio-seconds: 7110\nx-ratelimit-reset-audio-seconds: 45s",
		[]string{"unit=audio_seconds limit=7200 remaining=7110 reset=45s"}},
	{"opsgenie", "X-RateLimit-State: THROTTLED\nX-RateLimit-Reason: ACCOUNT\nX-RateLimit-Period-In-Sec: 60\nX-RateLimit-Limit: 100",
		[]string{"limit=100 window=1m0s"}},
	{"pingdom", "Req-Limit-Short: Remaining: 394 Time until reset: 3589\nReq-Limit-Long: Remaining: 71994 Time until reset: 2591989",
		[]string{"name=short remaining=394 reset=59m49s", "name=long remaining=71994 reset=719h59m49s"}},
	{"pinterest old", "X-Userendpoint-Ratelimit-Limit: 1000\nX-Userendpoint-Ratelimit-Remaining: 998", []string{"limit=1000 remaining=998"}},
	{"lightspeed", "X-LS-API-Bucket-Level: 45/180\nX-LS-API-Drip-Rate: 3", []string{"limit=3 window=1s burst=180 remaining=135"}},
	{"clover", "X-RateLimit-tokenLimit: 16\nX-RateLimit-crossTokenLimit: 50\nX-RateLimit-tokenConcurrentLimit: 5",
		[]string{"name=token limit=16", "name=cross-token limit=50", "name=token unit=concurrency limit=5"}},
	{"cohere trial", "X-Trial-Endpoint-Call-Limit: 40\nX-Trial-Endpoint-Call-Remaining: 39\nx-endpoint-monthly-call-limit: 1000",
		[]string{"name=endpoint limit=40 remaining=39", "name=endpoint limit=1000 window=720h0m0s"}},
	{"azure resource graph", "x-ms-user-quota-remaining: 14\nx-ms-user-quota-resets-after: 00:00:03", []string{"name=user remaining=14 reset=3s"}},
	{"dataverse", "x-ms-ratelimit-burst-remaining-xrm-requests: 5999\nx-ms-ratelimit-time-remaining-xrm-requests: 1,200.00",
		[]string{"name=xrm-burst remaining=5999"}},
	{"fitbit", "Fitbit-Rate-Limit-Limit: 150\nFitbit-Rate-Limit-Remaining: 149\nFitbit-Rate-Limit-Reset: 1478",
		[]string{"limit=150 remaining=149 reset=24m38s"}},
	{"polar", "RateLimit-Usage: 2, 10\nRateLimit-Limit: 500, 5000\nRateLimit-Reset: 800, 80000",
		[]string{"limit=500 window=15m0s remaining=498 reset=13m20s", "limit=5000 window=24h0m0s remaining=4990 reset=22h13m20s"}},
	{"surveymonkey", `
		X-Ratelimit-App-Global-Minute-Limit: 120
		X-Ratelimit-App-Global-Minute-Remaining: 119
		X-Ratelimit-App-Global-Minute-Reset: 45
		X-Ratelimit-App-Global-Day-Limit: 500
		X-Ratelimit-App-Global-Day-Remaining: 499
		X-Ratelimit-App-Global-Day-Reset: 8645`,
		[]string{"name=app-global limit=120 window=1m0s remaining=119 reset=45s", "name=app-global limit=500 window=24h0m0s remaining=499 reset=2h24m5s"}},
	{"docusign", `
		X-RateLimit-Limit: 3000
		X-RateLimit-Remaining: 2998
		X-RateLimit-Reset: 1796052600
		X-BurstLimit-Limit: 500
		X-BurstLimit-Remaining: 497`,
		[]string{"limit=3000 remaining=2998 reset=30m0s", "name=burst limit=500 remaining=497"}},
	{"dropbox sign", "X-Ratelimit-Limit: 100\nX-Ratelimit-Limit-Remaining: 99\nX-Ratelimit-Reset: 1796050860",
		[]string{"limit=100 remaining=99 reset=1m0s"}},
	{"opensky", "X-Rate-Limit-Remaining: 0\nX-Rate-Limit-Retry-After-Seconds: 1200", []string{"remaining=0", "retry=20m0s"}},
	{"urlscan", `
		X-Rate-Limit-Scope: ip-address
		X-Rate-Limit-Action: search
		X-Rate-Limit-Window: minute
		X-Rate-Limit-Limit: 30
		X-Rate-Limit-Remaining: 24
		X-Rate-Limit-Reset: 2026-11-30T15:00:17.000Z
		X-Rate-Limit-Reset-After: 16`,
		[]string{"limit=30 window=1m0s remaining=24 reset=16s"}},
	{"companies house", "X-Ratelimit-Limit: 600\nX-Ratelimit-Remain: 599\nX-Ratelimit-Reset: 1796050860\nX-Ratelimit-Window: 5m",
		[]string{"limit=600 window=5m0s remaining=599 reset=1m0s"}},
	{"football-data", "X-Requests-Available-Minute: 9\nX-RequestCounter-Reset: 42", []string{"window=1m0s remaining=9"}},
	{"kong response limiting", "X-RateLimit-Limit-Videos-Minute: 10\nX-RateLimit-Remaining-Videos-Minute: 9",
		[]string{"name=videos limit=10 window=1m0s remaining=9"}},
	{"riot service and method", "X-Rate-Limit-Type: method\nX-Method-Rate-Limit: 30:10\nX-Method-Rate-Limit-Count: 31:10\nRetry-After: 3",
		[]string{"name=method limit=30 window=10s remaining=0", "retry=3s"}},
	{"limit per hour in the value", "X-RateLimit-Limit: 100/hour\nX-RateLimit-Remaining: 99", []string{"limit=100 window=1h0m0s remaining=99"}},
	{"pairs under the short name", "X-RateLimit: limit=100; remaining=5; reset=3", []string{"limit=100 remaining=5 reset=3s"}},
	{"window with its ends", "X-RateLimit-Limit: 10\nX-RateLimit-Window-Start: 1796050800\nX-RateLimit-Window-End: 1796050860",
		[]string{"limit=10 reset=1m0s"}},
	{"window as epoch is none", "X-RateLimit-Limit: 10\nX-RateLimit-Window: 1796050860", []string{"limit=10"}},
	{"pagination", "X-Limit: 20\nLimit: 20\nX-Page-Limit: 5\nX-Offset: 40\nX-Total-Count: 400\nX-Available-Items: 3", nil},
	{"ttl", "X-RateLimit-Limit: 10\nX-RateLimit-Remaining: 4\nX-RateLimit-TTL: 30", []string{"limit=10 remaining=4 reset=30s"}},
	{"burst beside sustained", `
		X-RateLimit-Burst-Limit: 20
		X-RateLimit-Burst-Remaining: 19
		X-RateLimit-Sustained-Limit: 100
		X-RateLimit-Sustained-Remaining: 98`,
		[]string{"name=burst limit=20 remaining=19", "name=sustained limit=100 remaining=98"}},
	{"same twice in one family", "x-ratelimit-limit: 60\nx-ratelimit-limit-requests: 60\nx-ratelimit-remaining: 5\nx-ratelimit-remaining-requests: 5",
		[]string{"limit=60 remaining=5"}},
	{"percent", "X-RateLimit-Remaining-Percent: 45", []string{"unit=percent remaining=45"}},
	{"cost that remains", "X-RateLimit-Limit-Cost: 1000\nX-RateLimit-Remaining-Cost: 990", []string{"unit=cost limit=1000 remaining=990"}},
	{"cost that remains, cost first", "X-RateLimit-Cost-Limit: 1000\nX-RateLimit-Cost-Remaining: 990", []string{"unit=cost limit=1000 remaining=990"}},
	{"reset beside partition", "Api-Limit: 10\nApi-Remaining: 4\nApi-Reset: 3", []string{"name=api limit=10 remaining=4 reset=3s"}},
	{"used and remaining requests", "X-Requests-Remaining: 3\nX-Requests-Used: 7", []string{"limit=10 remaining=3"}},
	{"limit per window in the value", "X-RateLimit-Limit: 8/1m", []string{"limit=8 window=1m0s"}},
	{"one credit", "X-RateLimit-Credit-Limit: 10\nX-RateLimit-Credits-Remaining: 4", []string{"unit=credits limit=10 remaining=4"}},
	{"times are no limits", "X-RateLimit-Time: 1796050800\nX-RateLimit-Date: 20261130\nX-RateLimit-After: 5\nX-RateLimit-User: 77", nil},
	{"window of absurd length", "X-RateLimit-Limit-999999-Years: 5", []string{"limit=5 window=2562047h47m16.854775807s"}},
	{"prefixed ietf", "Acme-RateLimit-Policy: \"a\";q=10;w=60\nAcme-RateLimit: \"a\";r=4;t=9", []string{"name=a limit=10 window=1m0s remaining=4 reset=9s"}},
	{"two prefixes", "RateLimit: \"a\";r=4;t=9\nBeta-RateLimit: \"b\";r=3;t=8", []string{"name=a remaining=4 reset=9s", "name=b remaining=3 reset=8s"}},
	{"retry after as timespan", "Retry-After: 00:01:30", []string{"retry=1m30s"}},
	{"retry after garbage in front", "Retry-After: soon\nX-Retry-After: 4", []string{"retry=4s"}},
	{"beta retry after", "Beta-Retry-After: 100\nX-Beta-Retry-After: 100", nil},
	{"date decides", "Date: Mon, 30 Nov 2026 14:00:00 GMT\nX-RateLimit-Limit: 5\nX-RateLimit-Reset: 2026-11-30T14:00:30Z", []string{"limit=5 reset=30s"}},
	{"graphql points", "X-GraphQL-RateLimit-Points-Limit: 5000\nX-GraphQL-RateLimit-Points-Remaining: 4990\nX-GraphQL-RateLimit-Points-Reset: 60",
		[]string{"unit=points limit=5000 remaining=4990 reset=1m0s"}},
	{"llm cached input tokens", "x-ratelimit-limit-cached-input-tokens: 9\nx-ratelimit-remaining-cached-input-tokens: 8",
		[]string{"unit=cached_input_tokens limit=9 remaining=8"}},
	{"reset words", "X-RateLimit-Limit: 5\nX-RateLimit-Expires: 1796050860", []string{"limit=5 reset=1m0s"}},
	{"next reset", "X-RateLimit-Max: 5\nX-RateLimit-Available: 3\nX-RateLimit-Next-Reset: 1796050860", []string{"limit=5 remaining=3 reset=1m0s"}},
	{"throttle words", "X-Throttle-Limit: 5\nX-Throttle-Remaining: 3\nX-Throttle-Reset: 9", []string{"limit=5 remaining=3 reset=9s"}},
	{"javascript date", "X-RateLimit-Limit: 5\nX-RateLimit-Reset: Mon Nov 30 2026 10:00:30 GMT-0500 (EST)", []string{"limit=5 reset=30s"}},
	{"unix date", "X-RateLimit-Limit: 5\nX-RateLimit-Reset: Mon Nov 30 15:00:30 UTC 2026", []string{"limit=5 reset=30s"}},
	{"offset without colon", "X-RateLimit-Limit: 5\nX-RateLimit-Reset: 2026-11-30T16:00:30.5+0100", []string{"limit=5 reset=30.5s"}},
	{"epoch with fraction in ms", "X-RateLimit-Limit: 5\nX-RateLimit-Reset: 1796050830500.25", []string{"limit=5 reset=30.50025s"}},
	{"epoch in microseconds", "X-RateLimit-Limit: 5\nX-RateLimit-Reset: 1796050830500000", []string{"limit=5"}},
	{"horizon", "X-RateLimit-Limit: 5\nX-RateLimit-Reset: 31622400", []string{"limit=5 reset=8784h0m0s"}},
	{"beyond the horizon", "X-RateLimit-Limit: 5\nX-RateLimit-Reset: 31622401", []string{"limit=5"}},
	{"numbered window at the end", "X-RateLimit-Limit-30: 10\nX-RateLimit-Limit-90: 20", []string{"name=30 limit=10", "name=90 limit=20"}},
}

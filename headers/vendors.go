package headers

import (
	"strings"
	"time"
)

// readAuth0 reads "b=per_hour;q=100;r=0;t=924,b=per_day;q=300;r=299;t=11000".
func readAuth0(out []Policy, in input) []Policy {
	for _, line := range in.lines {
		for bucket := range strings.SplitSeq(line, ",") {
			p := Policy{Name: in.rest, Unit: "requests"}
			for _, kv := range readPairsOf(bucket, ";") {
				auth0Pair(&p, kv, &in.clock)
			}
			if (p.Limit.OK || p.Remaining.OK) && len(out) < maxItems {
				out = append(out, p)
			}
		}
	}
	return out
}

func auth0Pair(p *Policy, kv pair, c *clock) {
	switch kv.key {
	case "b":
		p.Window = windowWord(kv.value)
	case "q":
		p.Limit = readCounter(kv.value)
	case "r":
		p.Remaining = readCounter(kv.value)
	case "t":
		if d, ok := c.delay(kv.value, 0); ok {
			p.Reset = Some(d)
		}
	}
}

// windowWord returns the window that a text like "per_hour" names, or zero.
func windowWord(text string) time.Duration {
	for _, w := range splitName(strings.ToLower(text)) {
		if w, _ := lookWord(w); w.sort == spanWord {
			return w.span
		}
	}
	return 0
}

// readCounter reads a plain count.
func readCounter(s string) Opt[float64] {
	n, ok := readNumber(s)
	return Opt[float64]{n.float(), ok}
}

// readUpbit reads "group=default; min=1799; sec=29", the calls left per window.
func readUpbit(out []Policy, in input) []Policy {
	for _, line := range in.lines {
		list := readPairsOf(line, ";")
		group := ""
		for _, kv := range list {
			if kv.key == "group" && printable(kv.value) {
				group = kv.value
			}
		}
		for _, kv := range list {
			p := Policy{Name: group, Window: windowWord(kv.key), Remaining: readCounter(kv.value), Unit: "requests"}
			if p.Window > 0 && p.Remaining.OK && len(out) < maxItems {
				out = append(out, p)
			}
		}
	}
	return out
}

// readSalesforce reads "api-usage=18/5000; per-app-api-usage=17/250(appName=x)".
func readSalesforce(out []Policy, in input) []Policy {
	for _, line := range in.lines {
		for part := range strings.SplitSeq(strings.ReplaceAll(line, ",", ";"), ";") {
			key, value, _ := strings.Cut(part, "=")
			value, _, _ = strings.Cut(value, "(")
			u, l, _ := strings.Cut(value, "/")
			usage := readCounter(trim(u))
			p := Policy{Name: strings.ToLower(trim(key)), Limit: readCounter(trim(l)), Unit: "requests"}
			if p.Limit.OK && usage.OK && printable(p.Name) && len(out) < maxItems {
				p.use(usage.V)
				out = append(out, p)
			}
		}
	}
	return out
}

// readAzure reads the many x-ms-ratelimit-remaining-<scope> of Azure Resource
// Manager. Those of a resource name their policies: "Policy3Min;107".
func readAzure(out []Policy, in input) []Policy {
	for _, line := range in.lines {
		if in.rest != "resource" {
			if n := readCounter(line); n.OK {
				out = append(out, Policy{Name: in.rest, Remaining: n, Unit: "requests"})
			}
			continue
		}
		for part := range strings.SplitSeq(line, ",") {
			name, left, _ := strings.Cut(part, ";")
			n := readCounter(trim(left))
			if n.OK && printable(name) && len(out) < maxItems {
				out = append(out, Policy{Name: trim(name), Remaining: n, Unit: "requests"})
			}
		}
	}
	return out
}

// readPingdom reads "Remaining: 394 Time until reset: 3589".
func readPingdom(out []Policy, in input) []Policy {
	for _, line := range in.lines {
		left, until, _ := strings.Cut(strings.ToLower(line), "time until reset:")
		left, ok := strings.CutPrefix(trim(left), "remaining:")
		p := Policy{Name: in.rest, Remaining: readCounter(trim(left)), Unit: "requests"}
		if d, okDelay := in.clock.delay(trim(until), 0); okDelay {
			p.Reset = Some(d)
		}
		if ok && p.Remaining.OK {
			out = append(out, p)
		}
	}
	return out
}

// readSentry reads "60:transaction;error:organization, 2700::key": seconds for
// which categories are refused; no category means all.
func readSentry(out []Policy, in input) []Policy {
	for part := range strings.SplitSeq(strings.Join(in.lines, ","), ",") {
		seconds, rest, ok := strings.Cut(part, ":")
		d, okDelay := in.clock.delay(trim(seconds), 0)
		if !ok || !okDelay {
			continue
		}
		categories, _, _ := strings.Cut(rest, ":")
		for category := range strings.SplitSeq(categories, ";") {
			name := trim(category)
			if name == "" {
				name = "*"
			}
			if printable(name) && len(out) < maxItems {
				out = append(out, Policy{Name: name, Remaining: Some(0.0), Reset: Some(d), Unit: "requests"})
			}
		}
	}
	return out
}

// readCosmosCharge reads what a call to Cosmos DB has cost.
func readCosmosCharge(out []Policy, in input) []Policy { return charge(out, in, "request_units") }

// readGraphUnits reads what a call to Microsoft Graph has cost.
func readGraphUnits(out []Policy, in input) []Policy { return charge(out, in, "resource_units") }

func charge(out []Policy, in input, unit string) []Policy {
	for _, line := range in.lines {
		if n := readCounter(line); n.OK {
			return append(out, Policy{Unit: unit, Cost: n, Kind: Charge})
		}
	}
	return out
}

// readGraphShare reads how much of a limit is used, as a fraction that may
// exceed one.
func readGraphShare(out []Policy, in input) []Policy {
	for _, line := range in.lines {
		if n := readCounter(line); n.OK {
			return append(out, share("", n.V*100))
		}
	}
	return out
}

// share makes a policy of a used percentage.
func share(name string, percent float64) Policy {
	p := Policy{Name: name, Limit: Some(100.0), Unit: "percent", Kind: Share}
	p.use(percent)
	return p
}

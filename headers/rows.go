package headers

import (
	"strings"
	"time"
)

// A row tells how to read a field that the general rules would get wrong. To add
// a provider, add a row: either the class of an ordinary counter, or a function
// for values with a format of their own.
type row struct {
	name  string // in lower case; one * stands for any text
	class class
	read  func(out []Policy, in input) []Policy
}

// An input is one field for the function of a row.
type input struct {
	rest  string // what the * stands for
	lines []string
	clock clock
}

var rows = []row{
	// What else a response says about itself.
	{name: "age", class: class{kind: context}},
	{name: "date", class: class{kind: context}},
	{name: "x-from-cache", class: class{kind: context}},
	// Amazon Selling Partner: requests per second.
	{name: "x-amzn-ratelimit-limit", class: class{kind: counter, role: limit, window: time.Second, x: true, family: "amzn-ratelimit", perSecond: true}},
	// Bybit calls the remaining calls a status.
	{name: "x-bapi-limit-status", class: class{kind: counter, role: remaining, x: true, family: "bapi-limit"}},
	// KuCoin counts the reset in milliseconds, though its name does not say so.
	{name: "gw-ratelimit-reset", class: class{kind: counter, role: reset, scale: time.Millisecond, family: "gw-ratelimit"}},
	// Costs of this call whose names do not say of which limit.
	{name: "x-complexity", class: class{kind: counter, role: cost, loose: true, unit: "complexity", family: "complexity"}},
	{name: "x-request-cost", class: class{kind: counter, role: cost, loose: true, family: "request-cost"}},
	// ip-api.com: calls left and seconds to the next window.
	{name: "x-rl", class: class{kind: counter, role: remaining, x: true, family: "rl"}},
	{name: "x-ttl", class: class{kind: counter, role: reset, x: true, family: "rl"}},
	// Lightspeed describes a leaky bucket: used/capacity, and calls per second.
	{name: "x-ls-api-bucket-level", class: class{kind: counter, role: limit, x: true, family: "ls-api"}},
	{name: "x-ls-api-drip-rate", class: class{kind: counter, role: rate, scale: time.Second, x: true, family: "ls-api"}},
	// An ancestor of Retry-After, of Django REST framework.
	{name: "x-throttle-wait-seconds", class: class{kind: retry, order: 1}},

	{name: "auth0-*-quota-limit", read: readAuth0},
	{name: "remaining-req", read: readUpbit},
	{name: "req-limit-*", read: readPingdom},
	{name: "sforce-limit-info", read: readSalesforce},
	{name: "x-ad-account-usage", read: readUsage},
	{name: "x-app-usage", read: readUsage},
	{name: "x-business-use-case-usage", read: readBusinessUsage},
	{name: "x-fb-ads-insights-throttle", read: readUsage},
	{name: "x-page-usage", read: readUsage},
	{name: "x-ms-ratelimit-remaining-*", read: readAzure},
	{name: "x-ms-request-charge", read: readCosmosCharge},
	{name: "x-ms-resource-unit", read: readGraphUnits},
	{name: "x-ms-throttle-limit-percentage", read: readGraphShare},
	{name: "x-sentry-rate-limits", read: readSentry},
}

// classifyRow returns the class that the table gives to a name, or nil.
func classifyRow(lower string) *class {
	for i := range rows {
		row := &rows[i]
		rest, ok := match(row.name, lower)
		if !ok {
			continue
		}
		c := row.class
		c.label, c.rest = labelOf(&c, lower), rest
		if row.read != nil {
			c.kind, c.row = dialect, row
		}
		return &c
	}
	return nil
}

func labelOf(c *class, lower string) string {
	switch {
	case c.family == "":
		return lower
	case c.x:
		return "x-" + c.family
	}
	return c.family
}

// match compares a name with a pattern and returns what its * stands for.
func match(pattern, name string) (rest string, ok bool) {
	before, after, open := strings.Cut(pattern, "*")
	if !open {
		return "", pattern == name
	}
	rest, ok = strings.CutPrefix(name, before)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, after)
	return rest, ok && rest != ""
}

// readDialect reads a field through its row.
func (r *reading) readDialect(f *field) {
	before := len(r.out)
	lines := make([]string, 0, len(f.lines))
	for _, line := range f.lines {
		if v := trim(line); v != "" && len(lines) < maxItems {
			lines = append(lines, v)
		}
	}
	r.out = f.row.read(r.out, input{f.rest, lines, r.clock})
	for i := before; i < len(r.out); i++ {
		r.out[i].Dialect = f.label
		r.out[i] = clamp(r.out[i])
	}
	r.noteLines(f, "limits", "the value is not understood", len(r.out) > before)
}

package headers

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/dunglas/httpsfv"
)

// Set writes RateLimit-Policy and RateLimit for a server, in the form of
// draft-ietf-httpapi-ratelimit-headers-11, in place of what h has of them.
// Without policies it removes both. It changes nothing if it returns an error,
// which is a *[FieldError].
//
// Of each policy it writes Name ("default" if empty), PartitionKey, Limit, Unit,
// Window, Remaining and Reset, and Burst as the parameter headway-burst, for
// which the draft has no name. A policy without Limit stands only in RateLimit,
// one without Remaining only in RateLimit-Policy. Remaining is rounded down and
// Reset up; Limit and Window must be whole numbers. Retry-After, which has
// precedence over Reset, is the caller's.
func Set(h http.Header, policies ...Policy) error {
	var quotas, states httpsfv.List
	for i := range policies {
		p := &policies[i]
		if err := checkUnique(policies[:i], p); err != nil {
			return err
		}
		if err := appendItems(&quotas, &states, p); err != nil {
			return err
		}
	}
	return write(h, quotas, states)
}

// A FieldError reports what Set could not write.
type FieldError struct {
	Policy string // the name of the policy; empty if all together are too long
	Field  string // the field of the Policy, for instance "Limit", or the header field
	Err    error  // what is wrong with it
}

// Error returns a message that begins with the name of the package.
func (e *FieldError) Error() string {
	return fmt.Sprintf("headers: policy %q: %s: %v", e.Policy, e.Field, e.Err)
}

// Unwrap returns the cause.
func (e *FieldError) Unwrap() error { return e.Err }

func (p *Policy) wrong(field, format string, args ...any) error {
	return &FieldError{p.Name, field, fmt.Errorf(format, args...)}
}

func checkUnique(before []Policy, p *Policy) error {
	for i := range before {
		if before[i].policyName() == p.policyName() && before[i].PartitionKey == p.PartitionKey {
			return p.wrong("Name", "used twice with the same partition key")
		}
	}
	return nil
}

func (p *Policy) policyName() string {
	if p.Name == "" {
		return "default"
	}
	return p.Name
}

// appendItems appends the items of one policy.
func appendItems(quotas, states *httpsfv.List, p *Policy) error {
	if !printable(p.Name) {
		return p.wrong("Name", "not printable ASCII")
	}
	if !p.Limit.OK && !p.Remaining.OK {
		return p.wrong("Limit", "missing, and Remaining too")
	}
	if p.Reset.OK && !p.Remaining.OK {
		return p.wrong("Remaining", "missing, but there is a Reset")
	}
	if p.Limit.OK {
		it, err := quotaItem(p)
		if err != nil {
			return err
		}
		*quotas = append(*quotas, it)
	}
	if p.Remaining.OK {
		it, err := stateItem(p)
		if err != nil {
			return err
		}
		*states = append(*states, it)
	}
	return nil
}

func quotaItem(p *Policy) (httpsfv.Item, error) {
	it := httpsfv.NewItem(p.policyName())
	q, err := p.whole("Limit", p.Limit.V)
	if err != nil {
		return it, err
	}
	it.Params.Add("q", q)
	if err := addUnit(it, p); err != nil {
		return it, err
	}
	if p.Window < 0 || p.Window%time.Second != 0 {
		return it, p.wrong("Window", "%v is not a whole number of seconds", p.Window)
	}
	if p.Window > 0 {
		it.Params.Add("w", int64(p.Window/time.Second))
	}
	return it, addExtras(it, p)
}

func stateItem(p *Policy) (httpsfv.Item, error) {
	it := httpsfv.NewItem(p.policyName())
	r, err := p.whole("Remaining", math.Floor(p.Remaining.V))
	if err != nil {
		return it, err
	}
	it.Params.Add("r", r)
	if p.Reset.OK {
		if p.Reset.V < 0 || p.Reset.V > horizon {
			return it, p.wrong("Reset", "%v is not between 0 and 366 days", p.Reset.V)
		}
		it.Params.Add("t", int64((p.Reset.V+time.Second-1)/time.Second))
	}
	if p.Limit.OK { // the policy has the rest
		addKey(it, p)
		return it, nil
	}
	if err := addUnit(it, p); err != nil {
		return it, err
	}
	return it, addExtras(it, p)
}

// addUnit writes the unit, if it is not the default, by its registered name.
func addUnit(it httpsfv.Item, p *Policy) error {
	unit := p.Unit
	switch unit {
	case "", "requests":
		return nil
	case "bytes":
		unit = "content-bytes"
	case "concurrency":
		unit = "concurrent-requests"
	}
	if !printable(unit) {
		return p.wrong("Unit", "not printable ASCII")
	}
	it.Params.Add("qu", unit)
	return nil
}

func addExtras(it httpsfv.Item, p *Policy) error {
	addKey(it, p)
	if !p.Burst.OK {
		return nil
	}
	b, err := p.whole("Burst", p.Burst.V)
	if err == nil {
		it.Params.Add("headway-burst", b)
	}
	return err
}

func addKey(it httpsfv.Item, p *Policy) {
	if p.PartitionKey != "" {
		it.Params.Add("pk", []byte(p.PartitionKey))
	}
}

// largest is the greatest Integer of a structured field.
const largest = 999_999_999_999_999

func (p *Policy) whole(field string, v float64) (int64, error) {
	if !(v >= 0 && v <= largest) || v != math.Trunc(v) {
		return 0, p.wrong(field, "%v is not a whole number from 0 to %d", v, int64(largest))
	}
	return int64(v), nil
}

func write(h http.Header, quotas, states httpsfv.List) error {
	policyText, err := marshal("RateLimit-Policy", quotas)
	if err != nil {
		return err
	}
	stateText, err := marshal("RateLimit", states)
	if err != nil {
		return err
	}
	put(h, "Ratelimit-Policy", policyText)
	put(h, "Ratelimit", stateText)
	return nil
}

// marshal writes one field; no longer than Parse, and many a proxy, will read.
func marshal(field string, list httpsfv.List) (string, error) {
	text, err := httpsfv.Marshal(list)
	if err == nil && (len(text) > maxValue || len(list) > maxItems) {
		err = fmt.Errorf("%d policies in %d bytes are too much for one field", len(list), len(text))
	}
	if err != nil {
		return "", &FieldError{Field: field, Err: err}
	}
	return text, nil
}

func put(h http.Header, key, value string) {
	if value == "" {
		delete(h, key)
		return
	}
	h[key] = []string{value}
}

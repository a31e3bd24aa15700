package main

import (
	"net/http"
	"slices"
	"strings"
)

// secrets are the texts that must not be shown, even if a server sends them
// back.
type secrets []string

// shortSecret is the length below which a text is none.
const shortSecret = 6

const hidden = "[hidden: it holds a value given by -H]"

// secrets are the values of -H, and their words: of "Bearer abcdef", abcdef is
// the secret.
func (c *probeCommand) secrets() secrets {
	var s secrets
	for _, field := range c.Header {
		_, value, _ := strings.Cut(field, ":")
		for _, text := range append(strings.Fields(value), strings.TrimSpace(value)) {
			if len(text) >= shortSecret {
				s = append(s, text)
			}
		}
	}
	return s
}

func (s secrets) in(text string) bool {
	return slices.ContainsFunc(s, func(secret string) bool { return strings.Contains(text, secret) })
}

// hideIn takes the secrets out of an explanation of the header h. Values are cut
// off in an explanation, so it is in h that they have to be looked for.
func (s secrets) hideIn(x *explanation, h http.Header) {
	for i := range x.report.Fields {
		f := &x.report.Fields[i]
		if slices.ContainsFunc(h[f.Name], s.in) {
			f.Value, f.Read = hidden, ""
		}
	}
	for i := range x.report.Policies {
		s.hidePolicy(&x.report.Policies[i].Name, &x.report.Policies[i].PartitionKey, &x.report.Policies[i].Unit)
	}
	for i := range x.limits {
		s.hidePolicy(&x.limits[i].policy.Name, &x.limits[i].policy.PartitionKey, &x.limits[i].policy.Unit)
	}
}

func (s secrets) hidePolicy(texts ...*string) {
	for _, text := range texts {
		if s.in(*text) {
			*text = hidden
		}
	}
}

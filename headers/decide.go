package headers

import (
	"slices"
	"strings"
	"time"
)

// class decides what a name means, once all its words are known.
func (p *nameParse) class() *class {
	c := &p.c
	c.family = p.family()
	c.label = c.family
	if c.x {
		c.label = "x-" + c.family
	}
	c.part = strings.Join(p.parts, "-")
	c.rest = p.rest()
	c.plain = !p.odd
	c.kind = p.kind()
	if c.kind == counter || c.kind == bareField {
		p.measure()
		if c.unit == "requests" {
			c.label += "-requests"
		}
		if c.window > 0 {
			c.label += "-window"
		}
	}
	if c.kind == retry {
		p.measureRetry()
	}
	return c
}

// family names what the fields of one server have in common.
func (p *nameParse) family() string {
	what := "limit"
	switch {
	case p.mark >= 0:
		what = "ratelimit"
	case p.retry:
		what = "retry-after"
	}
	return strings.Join(append(p.vendor, what), "-")
}

func (p *nameParse) kind() kind {
	lastWord := ""
	if len(p.words) > 0 {
		lastWord = p.words[len(p.words)-1]
	}
	switch {
	case p.retry:
		return p.retryKind()
	case p.deny != "":
		return p.refuse(p.deny)
	case p.last == nameWord && p.mark >= 0:
		return naming
	case p.mark >= 0 && lastWord == "policy":
		return p.policyKind()
	case p.mark >= 0 && lastWord == "state":
		return listing
	case p.mark >= 0 && p.c.role == noRole:
		return bareField
	case p.c.role == noRole || p.mark < 0 && !p.plausible():
		return ordinary
	}
	return counter
}

// refuse notes why a name is no counter; without a word like "rate limit" it
// need not even be mentioned.
func (p *nameParse) refuse(text string) kind {
	if p.mark < 0 && !p.retry {
		return ordinary
	}
	p.c.reason = `the word "` + text + `" says that it is no counter`
	return lookalike
}

// retryKind accepts "retry after" and "retry in". Jira's Beta-Retry-After must
// not make anybody wait.
func (p *nameParse) retryKind() kind {
	if p.c.order == 0 || p.words[0] == "beta" {
		return p.refuse("retry")
	}
	return retry
}

func (p *nameParse) policyKind() kind {
	if p.c.role != noRole || len(p.parts) > 0 {
		return p.refuse("policy")
	}
	return policy
}

// plausible decides about names that do not speak of a rate limit. A lone reset,
// maximum or total could be of anything, a lone limit is one of pages.
func (p *nameParse) plausible() bool {
	if slices.Contains(p.words, "time") || p.rare != "" && p.c.unit == "" || len(p.words) == 1 {
		return false
	}
	switch {
	case slices.Contains(p.words, "available") || slices.Contains(p.words, "availability"):
		return p.c.unit != ""
	case p.seen[remaining]:
		return true
	case strings.Contains(p.lower, "quota") && (p.seen[reset] || p.seen[used]):
		return true
	case p.seen[limit] && strings.Contains(p.lower, "limit"):
		return true
	}
	return p.c.role == reset && (p.c.unit != "" || len(p.parts) > 0) || p.c.role == used && p.c.unit != ""
}

// measure settles what the words for units of time mean.
func (p *nameParse) measure() {
	c := &p.c
	p.measureRest()
	for i, w := range p.spans {
		measures := c.role == window || c.role == rate || c.role == reset && w.plural
		switch {
		case measures && i == len(p.spans)-1:
			c.scale = w.span
		case w.span >= time.Second:
			c.window = w.span
		}
	}
	if c.role == rate && slices.Contains(p.words, "replenish") && c.scale == 0 {
		c.scale = time.Second
	}
	if p.seen[burst] && (c.role == remaining || c.role == reset) {
		c.part = strings.Trim(c.part+"-burst", "-")
	}
	if c.role == cost && p.seen[used] || slices.Contains(p.words, "requested") {
		c.unit, c.part = "", ""
	}
	if c.role == cost {
		c.part = ""
	}
	if c.role != reset {
		c.order = 0
	}
}

// measureRest recognises a reset that calls itself the time that remains.
func (p *nameParse) measureRest() {
	seconds := len(p.spans) > 0 && p.spans[len(p.spans)-1].plural && p.spans[len(p.spans)-1].span <= time.Second
	if p.c.role == remaining && (seconds || slices.Contains(p.words, "time")) {
		p.c.role, p.c.order = reset, 2
	}
}

// measureRetry settles the unit of a Retry-After and its rank: milliseconds
// first, then the standard field, then all others.
func (p *nameParse) measureRetry() {
	p.c.order = 1
	for _, w := range p.spans {
		p.c.scale = w.span
	}
	switch {
	case p.c.scale == time.Millisecond && p.mark < 0:
		p.c.order = 3
	case p.lower == "retry-after":
		p.c.order = 2
	}
}

// rest returns what follows the words "rate limit" in the name.
func (p *nameParse) rest() string {
	for _, mark := range [...]string{"ratelimit", "rate-limit", "rate_limit"} {
		if _, after, ok := strings.Cut(p.lower, mark); ok {
			return strings.Trim(after, "-_")
		}
	}
	return ""
}

package tune

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A ClientType is what kind of client makes the calls of a class. It decides
// what the tolerance has to let through.
type ClientType uint8

// The types of client. What is nobody's guess is Interactive.
const (
	Guess       ClientType = iota // from the calls
	Interactive                   // somebody looks at a page that fetches several things at once
	Mobile                        // an app that fetches everything when it comes back to the foreground
	Batch                         // a job that sends many calls in one go
	Machine                       // another service, which can pace itself
	Login                         // somebody who shows a password, or resets it, or guesses it
)

var typeNames = []string{"guess", "interactive", "mobile", "batch", "machine", "login"}

func (t ClientType) isValid() bool { return int(t) < len(typeNames) }

// String returns its name.
func (t ClientType) String() string {
	if t.isValid() {
		return typeNames[t]
	}
	return fmt.Sprintf("ClientType(%d)", uint8(t))
}

// MarshalText writes its name.
func (t ClientType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads its name.
func (t *ClientType) UnmarshalText(text []byte) error {
	i := slices.Index(typeNames, string(text))
	if i < 0 {
		return fmt.Errorf("tune: type of client %q, want one of %s", text, strings.Join(typeNames[1:], ", "))
	}
	*t = ClientType(i)
	return nil
}

// A TypeRule is a row of the matrix of tolerance by type of client.
type TypeRule struct {
	Type ClientType `json:"type"`
	Who  string     `json:"who"`
	Rule string     `json:"tau_over_t"` // how large τ/T is to be
	Why  string     `json:"why"`
}

// Matrix returns the tolerance by type of client. p99 stands for the percentile
// that the options name, of the sizes of the clusters.
func Matrix() []TypeRule {
	return []TypeRule{
		{Interactive, "a page that loads", "⌈p99 × 1.2⌉", "a whole page passes, and whoever reads it needs no call"},
		{Mobile, "an app that comes back", "⌈p99 × 1.2⌉ of what comes after 5 min away", "it refreshes everything at once"},
		{Batch, "an export job", "p99: the batch", "the batch passes, and what is beyond it can wait"},
		{Machine, "another service", "p99: its batch", "it can pace itself"},
		{Login, "a login or reset", "at most 1", "more would be free guesses after each idle while"},
	}
}

// loginBurst is the highest τ/T where somebody may be guessing.
const loginBurst = 1

// tauOverT returns what the matrix says about a class.
func (t ClientType) tauOverT(c *class, percentile float64) int64 {
	size := c.sizes.percentile(percentile)
	switch t {
	case Mobile:
		if len(c.resumed) > 0 {
			size = c.resumed.percentile(percentile)
		}
	case Batch, Machine:
		return size
	case Login:
		return min(size, loginBurst)
	}
	return withHeadroom(size)
}

// resumesNeeded is how many times clients have to come back for that to tell
// something.
const resumesNeeded = 20

// guess tells the type of client by the name of the class, by what clients call
// themselves, and by when they call.
func (c *class) guess() (t ClientType, why string) {
	if word := loginWord(c.name); word != "" {
		return Login, "its name has " + word
	}
	p99 := c.sizes.percentile(99)
	switch kind, share := c.mostAgents(); {
	case share <= 0.5:
	case kind == programAgent && p99 >= 10:
		return Batch, fmt.Sprintf("%s of the calls are of programs, in batches", percent(share))
	case kind == programAgent:
		return Machine, fmt.Sprintf("%s of the calls are of programs", percent(share))
	case kind == appAgent:
		return Mobile, fmt.Sprintf("%s of the calls are of apps", percent(share))
	}
	if c.refreshes() {
		return Mobile, "clusters are larger after 5 min away"
	}
	if p99 == 1 && 2*c.regularCalls > c.calls {
		return Machine, "most calls come one by one, at regular intervals"
	}
	return Interactive, "nothing tells otherwise"
}

// refreshes reports whether clusters are larger when a client comes back: twice as
// large, and by more than chance makes of calls that come one by one.
func (c *class) refreshes() bool {
	steady := c.sizes.without(c.resumed)
	if c.resumed.count() < resumesNeeded || steady.count() == 0 {
		return false
	}
	resumed, usual := c.resumed.percentile(99), steady.percentile(99)
	return resumed >= max(2*usual, usual+3)
}

// loginWord returns the word of a name that speaks of passwords and the like.
func loginWord(name string) string {
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), notAlphanumeric) {
		if slices.Contains(loginWords, word) {
			return word
		}
	}
	return ""
}

func notAlphanumeric(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }

var loginWords = []string{
	"login", "logon", "signin", "auth", "authenticate", "oauth", "oauth2", "password", "passwords", "passwd",
	"credentials", "forgot", "otp", "totp", "mfa", "2fa",
}

// percent is a share in a hundred, with as many digits as make a difference.
func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0 || p >= 10:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 1:
		return fmt.Sprintf("%.1f %%", p)
	case p >= 0.001:
		return fmt.Sprintf("%.2g %%", p)
	}
	return "less than 0.001 %"
}

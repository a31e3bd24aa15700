package headers

import (
	"strconv"
	"strings"
	"time"
)

// A kind is what the reader does with a field.
type kind uint8

const (
	ordinary  kind = iota
	lookalike      // its name speaks of limits, but it is no counter
	context        // Age, Date: they change how others are read
	retry
	naming    // its value names the limits of its family
	policy    // RateLimit-Policy
	counter   // one number with a role
	bareField // no role in the name: a limit ("X-Rate-Limit: 700"), or a value that explains itself
	listing   // state of a list of windows (Path of Exile)
	dialect   // read by a row of the table of dialects
)

// A class is all that the name of a field tells. It is never changed once made.
type class struct {
	kind      kind
	role      role
	x         bool          // the name begins with x-
	plain     bool          // of bareField: a plain number is a limit, since no odd word makes it anything else
	loose     bool          // of any family: joins whatever has its unit
	perSecond bool          // the limit is a rate: the capacity of the bucket is not published
	family    string        // what stands before the words of the limit, these included
	label     string        // the family as Policy.Dialect shows it
	unit      string        // "" if the name has no unit word
	part      string        // partition: whose limit
	window    time.Duration // from a word like "minute"
	scale     time.Duration // what a time value counts; 0 = seconds unless its size says otherwise
	order     int8          // of resets: which is preferred; of retries: likewise
	rest      string        // what follows "ratelimit" in the name, as it stands there
	reason    string        // of lookalike: why
	reach     bool          // of lookalike: its value says whom a refusal concerns
	row       *row          // of dialect
}

// maxName is the longest name that is looked at: names are remembered, and must
// not fill the memory.
const maxName = 128

// classify finds out what a name means. It is slow; see classOf.
func classify(name string) *class {
	if len(name) > maxName {
		return &nothing
	}
	lower := strings.ToLower(name)
	if c := classifyRow(lower); c != nil {
		return c
	}
	if !mayMatter(lower) {
		return &nothing
	}
	p := parseName(lower)
	c := p.class()
	c.reach = tellsReach(lower)
	return c
}

var nothing class

// mayMatter keeps ordinary names from being taken apart.
func mayMatter(lower string) bool {
	for _, part := range [...]string{"limit", "remain", "left", "retry", "reset", "thrott", "quota", "availab", "used"} {
		if strings.Contains(lower, part) {
			return !strings.HasPrefix(lower, "access-")
		}
	}
	return false
}

// A nameParse is a name being read, word by word.
type nameParse struct {
	lower  string
	words  []string
	mark   int         // where the words "rate limit" begin, -1 without them
	c      class       // what is known so far
	seen   [roles]bool // the roles that it names
	spans  []word      // units of time
	number uint64      // of "24 hours", 0 if none
	vendor []string    // strangers before the mark
	parts  []string    // words that tell one limit from the next
	adj    []string    // adjectives that wait for their unit
	deny   string      // a word that says that this is no counter
	odd    bool        // a word that is no unit and no window, so that a number could be anything
	rare   string      // a word that goes with other limits than those of calls
	retry  bool
	last   sort // of the last word in the vocabulary
}

func parseName(lower string) *nameParse {
	p := &nameParse{lower: lower, words: splitName(lower)}
	p.c.x = strings.HasPrefix(lower, "x-") || strings.HasPrefix(lower, "x_")
	p.mark = markOf(p.words)
	for i, w := range p.words {
		if i == p.mark || p.mark >= 0 && i == p.mark+1 && strings.HasPrefix(w, "limit") {
			continue
		}
		p.word(i, w)
	}
	p.parts = append(p.parts, p.adj...)
	if p.number > 0 {
		p.parts = append(p.parts, strconv.FormatUint(p.number, 10))
	}
	return p
}

// markOf returns where the words "rate limit" begin, or -1.
func markOf(words []string) int {
	for i, w := range words {
		if strings.HasPrefix(w, "throttl") ||
			w == "rate" && i+1 < len(words) && (words[i+1] == "limit" || words[i+1] == "limits") {
			return i
		}
	}
	return -1
}

// word takes in the i-th word.
func (p *nameParse) word(i int, text string) {
	w, ok := lookWord(text)
	if !ok {
		p.stranger(i, text)
		return
	}
	p.last = w.sort
	switch w.sort {
	case adjective, partition, delta, instant:
		p.odd = p.odd || i > p.mark
	}
	if text == "current" && i+1 < len(p.words) && p.words[i+1] == "request" {
		w.role = cost // "used current request"
	}
	switch w.sort {
	case roleWord:
		p.takeRole(w.role)
	case spanWord:
		if i > 0 || text != "ms" { // x-ms- is Microsoft
			p.takeSpan(i, w)
		}
	case unitWord:
		p.takeUnit(w.unit)
	case adjective:
		p.adj = append(p.adj, text)
	case partition:
		p.parts = append(p.parts, text)
	case delta:
		p.c.order = 2
	case instant:
		p.c.order = min(p.c.order, -1)
	case retryWord:
		p.retry = true
	default:
		p.takeDenied(i, text, w.sort)
	}
}

// stranger takes a word that is not in the vocabulary: before the marker it is
// the vendor's name, after it it tells one limit from the next.
func (p *nameParse) stranger(i int, text string) {
	if n, ok := readDigits(text, 6); ok {
		p.number = n
		return
	}
	if p.mark >= 0 && i > p.mark {
		p.parts = append(p.parts, text)
		p.odd = true
		return
	}
	p.vendor = append(p.vendor, text)
}

func (p *nameParse) takeRole(r role) {
	if r == cost && (p.seen[limit] || p.seen[remaining] || p.seen[reset]) {
		p.c.unit = "cost" // what is counted: the cost that remains
		return
	}
	if p.c.role == cost && (r == limit || r == remaining || r == reset) {
		p.c.unit, p.c.role = "cost", r
	}
	p.seen[r] = true
	if r == window && p.c.role == rate {
		p.c.role = window // "refill interval"
		return
	}
	if p.c.role == noRole || r.weight() >= p.c.role.weight() {
		p.c.role = r
	}
}

func (p *nameParse) takeSpan(i int, w word) {
	if n := len(p.adj); w.plural && n > 0 && p.words[i-1] == p.adj[n-1] {
		p.takeUnit(p.words[i]) // "audio seconds" are counted
		return
	}
	if p.number > 0 {
		w.span = number{whole: p.number}.times(w.span)
		p.number = 0
	}
	p.spans = append(p.spans, w)
}

// takeUnit takes what is counted, with the adjectives before it. Concurrency is
// a unit whatever is counted besides.
func (p *nameParse) takeUnit(unit string) {
	adjectives := p.adj
	p.adj = nil
	switch {
	case p.c.unit == "concurrency" || unit == "" && p.c.unit != "":
	case unit == "":
		p.parts = append(p.parts, adjectives...)
		p.c.unit = "requests"
	case unit == "units" && p.c.unit == "requests":
		p.c.unit = "request_units"
	case unit == "concurrency":
		p.c.unit = unit
	default:
		p.c.unit = strings.Join(append(adjectives, unit), "_")
	}
}

func (p *nameParse) takeDenied(i int, text string, s sort) {
	switch {
	case text == "size" && i > 1 && p.words[i-1] == "by" && p.mark >= 0:
		p.c.unit = "tokens" // "by size": the size of a prompt
	case text == "ttl" && p.mark >= 0:
		p.takeRole(reset)
	case s == unlikely && p.mark >= 0 || text == "global" && i+1 < len(p.words):
		p.stranger(i, text)
	case s == unlikely:
		p.rare = text
	case text == "resource" && i+1 < len(p.words) && p.words[i+1] == "units":
		p.adj = append(p.adj, text)
	case p.mark >= 0 && (text == "state" || text == "policy") && i == len(p.words)-1:
	case s == denied || s == nameWord && (i != len(p.words)-1 || p.mark < 0):
		p.deny = text
	}
}

// lookWord looks a word up, "24hour" and "10s" included.
func lookWord(text string) (word, bool) {
	if w, ok := vocabulary[text]; ok {
		return w, true
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, ok := readDigits(text[:digits], 6)
	if !ok || n == 0 {
		return word{}, false
	}
	if w, ok := vocabulary[text[digits:]]; ok && w.sort == spanWord {
		w.span = number{whole: n}.times(w.span)
		return w, true
	}
	span, rest := cutSpanUnit(text[digits:])
	if rest != "" || span < time.Second {
		return word{}, false
	}
	return word{sort: spanWord, span: number{whole: n}.times(span)}, true
}

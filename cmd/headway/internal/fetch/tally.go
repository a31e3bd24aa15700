package fetch

import (
	"cmp"
	"net/url"
	"slices"
	"sync"
)

// A Tally is what became of the URLs of a [Job] so far.
type Tally struct {
	Fetched, Failed int64
	Bytes           int64   // of the bodies that were kept
	Causes          []Cause // of what failed, the most frequent first
}

// A Cause is why URLs failed.
type Cause struct {
	Text     string
	Count    int64
	Examples []string // the first few, without their queries
}

// What is remembered of causes; there may be as many as URLs.
const (
	maxCauses   = 50
	maxExamples = 3
	otherCauses = "other causes"
)

// A tally counts.
type tally struct {
	mu     sync.Mutex
	counts Tally
	causes map[string]*Cause
}

func (t *tally) fetched(bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Fetched++
	t.counts.Bytes += bytes
}

func (t *tally) failed(u *url.URL, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Failed++
	if t.causes == nil {
		t.causes = map[string]*Cause{}
	}
	if t.causes[text] == nil && len(t.causes) >= maxCauses {
		text = otherCauses
	}
	c := t.causes[text]
	if c == nil {
		c = &Cause{Text: text}
		t.causes[text] = c
	}
	c.Count++
	if len(c.Examples) < maxExamples {
		c.Examples = append(c.Examples, shown(u))
	}
}

// now is a copy.
func (t *tally) now() Tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := t.counts
	for _, c := range t.causes {
		counts.Causes = append(counts.Causes, Cause{c.Text, c.Count, slices.Clone(c.Examples)})
	}
	slices.SortFunc(counts.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return counts
}

package fetch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func newPlan(t *testing.T, urls ...string) *Plan {
	t.Helper()
	p, err := NewPlan()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, text := range urls {
		u, err := ParseURL(text)
		if err == nil {
			err = p.Add(u)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// rest takes all URLs of a host that are left.
func rest(t *testing.T, h *Host) (urls []string) {
	t.Helper()
	for {
		text, err := h.next()
		if err != nil {
			t.Fatal(err)
		}
		if text == "" {
			return urls
		}
		urls = append(urls, text)
	}
}

func TestPlan(t *testing.T) {
	p := newPlan(t, "http://a.test/1", "http://b.test/1", "https://A.test/1", "http://a.test/1#x", "http://b.test/2", "http://a.test:8080/1", "http://a.test/2")
	if err := p.Have("http://b.test/1"); err != nil {
		t.Fatal(err)
	}
	if err := p.Have("http://not.there/"); err != nil {
		t.Fatal(err)
	}
	if err := p.Begin(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range p.order {
		got = append(got, h.name+": "+strings.Join(rest(t, h), " "))
	}
	want := []string{
		"a.test: http://a.test/1 https://a.test/1 http://a.test/2", // one budget, whatever the scheme
		"b.test: http://b.test/2",
		"a.test:8080: http://a.test:8080/1",
	}
	if !slices.Equal(got, want) || p.Listed != 7 || p.Repeated != 1 || p.Here != 1 || p.Left() != 5 {
		t.Errorf("%q: %d listed, %d repeated, %d here, %d left", got, p.Listed, p.Repeated, p.Here, p.Left())
	}
}

// A plan of more than it holds in memory gives back what was added, by host and
// in order.
func TestPlanOnDisk(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	want := map[string][]string{}
	var all []string
	for i := range 6000 {
		host := fmt.Sprintf("h%d.test", rnd.IntN(4)*rnd.IntN(400)) // one of them often
		text := fmt.Sprintf("http://%s/%d?%s", host, i, strings.Repeat("x", rnd.IntN(1000)))
		want[host] = append(want[host], text)
		all = append(all, text)
	}
	p := newPlan(t, all...)
	if p.written < 2*flushSize {
		t.Fatalf("only %d bytes are on disk", p.written)
	}
	var listed []string
	if err := p.each(func(text string) error { listed = append(listed, text); return nil }); err != nil || !slices.Equal(listed, all) {
		t.Errorf("each gives %d URLs, %v", len(listed), err)
	}
	if err := p.Begin(); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, h := range p.order {
		got[h.name] = rest(t, h)
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Error("what comes out is not what went in")
	}
}

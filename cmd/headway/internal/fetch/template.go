package fetch

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// A Template is a text with ranges of numbers in it, as of a shell:
// "https://api.test/items/{1..500}". It stands for as many texts.
type Template struct {
	parts  []string // around the ranges: one more than there are
	ranges []numbers
}

// numbers are from, from+step, and so on; step may be negative.
type numbers struct {
	from, step, count int64
	width             int // zeros lead up to it
}

// maxDigits keeps the numbers of a range, and what is worked out with them,
// within an int64.
const maxDigits = 18

// ParseTemplate reads a template. A range is {1..500}, {500..1}, {1..500..10} in
// steps of ten, or {001..500} in three digits. Other braces are an error. The
// error does not repeat the text around the range, which may hold a secret.
func ParseTemplate(text string) (*Template, error) {
	t := &Template{}
	for {
		before, rest, found := strings.Cut(text, "{")
		if strings.Contains(before, "}") {
			return nil, errors.New("a } without a {; in a URL it is written %7D")
		}
		t.parts = append(t.parts, before)
		if !found {
			return t, nil
		}
		inside, after, found := strings.Cut(rest, "}")
		if !found {
			return nil, errors.New("a { without a }; in a URL it is written %7B")
		}
		n, ok := parseNumbers(inside)
		if !ok {
			return nil, fmt.Errorf("{%.20s} is no range as {1..500}; in a URL a brace is written %%7B or %%7D", inside)
		}
		t.ranges = append(t.ranges, n)
		text = after
	}
}

func parseNumbers(text string) (numbers, bool) {
	bounds := strings.Split(text, "..")
	if len(bounds) != 2 && len(bounds) != 3 {
		return numbers{}, false
	}
	var v [3]int64
	v[2] = 1
	for i, digits := range bounds {
		var ok bool
		if v[i], ok = parseDigits(digits); !ok {
			return numbers{}, false
		}
	}
	from, to, step := v[0], v[1], v[2]
	if step == 0 {
		return numbers{}, false
	}
	n := numbers{from: from, step: step, count: max(from-to, to-from)/step + 1}
	if to < from {
		n.step = -step
	}
	if padded(bounds[0]) || padded(bounds[1]) {
		n.width = max(len(bounds[0]), len(bounds[1]))
	}
	return n, true
}

func parseDigits(s string) (int64, bool) {
	if s == "" || len(s) > maxDigits || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

func padded(digits string) bool { return len(digits) > 1 && digits[0] == '0' }

// Len is how many texts the template stands for, or math.MaxInt64 if there are
// more.
func (t *Template) Len() int64 {
	n := int64(1)
	for _, r := range t.ranges {
		if n > math.MaxInt64/r.count {
			return math.MaxInt64
		}
		n *= r.count
	}
	return n
}

// All yields the texts in order; the last range goes round fastest.
func (t *Template) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		at := make([]int64, len(t.ranges))
		for yield(t.text(at)) {
			i := len(at) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < t.ranges[i].count {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

func (t *Template) text(at []int64) string {
	var b strings.Builder
	b.WriteString(t.parts[0])
	for i, r := range t.ranges {
		fmt.Fprintf(&b, "%0*d", r.width, r.from+at[i]*r.step)
		b.WriteString(t.parts[i+1])
	}
	return b.String()
}

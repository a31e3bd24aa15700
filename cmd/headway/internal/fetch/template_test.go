package fetch

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTemplate(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
	}{
		{"", ""},
		{"a/b", "a/b"},
		{"a{1..3}", "a1 a2 a3"},
		{"a{3..1}b", "a3b a2b a1b"},
		{"{7..7}", "7"},
		{"{08..11}", "08 09 10 11"},
		{"{8..011}", "008 009 010 011"},
		{"{0..10..5}", "0 5 10"},
		{"{0..9..5}", "0 5"},
		{"{9..0..5}", "9 4"},
		{"{1..2}/{0..2}", "1/0 1/1 1/2 2/0 2/1 2/2"},
	} {
		parsed, err := ParseTemplate(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		got := slices.Collect(parsed.All())
		if strings.Join(got, " ") != tt.want || parsed.Len() != int64(len(got)) {
			t.Errorf("%q: %d texts: %q, want %q", tt.text, parsed.Len(), got, tt.want)
		}
	}
}

func TestTemplateErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a{", "without a }"},
		{"a}b{1..2}", "without a {"},
		{"{1..2}}", "without a {"},
		{"{id}", "{id} is no range"},
		{"{}", "{} is no range"},
		{"{{1..2}}", "is no range"},
		{"{1-500}", "{1-500} is no range"},
		{"{1..}", "is no range"},
		{"{-1..2}", "is no range"},
		{"{1..2..0}", "is no range"},
		{"{1..2..3..4}", "is no range"},
		{"{1..9999999999999999999}", "is no range"},
	} {
		if _, err := ParseTemplate(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestTemplateIsLong(t *testing.T) {
	parsed, err := ParseTemplate("{0..999999999999999999}{0..999999999999999999}")
	if err != nil || parsed.Len() != math.MaxInt64 {
		t.Errorf("%d texts, %v", parsed.Len(), err)
	}
	for text := range parsed.All() { // it is not all in memory
		if text != "00" {
			t.Errorf("the first is %q", text)
		}
		break
	}
}

// What a template stands for is as many texts as it says, all of them other ones,
// and without braces.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"", "a{1..3}b", "{008..1..3}", "{1..2}{3..4}", "{id}", "{", "}", "{1..2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := ParseTemplate(text)
		if err != nil {
			return
		}
		const most = 1000
		seen := map[string]bool{}
		for one := range parsed.All() {
			if len(seen) == most {
				break
			}
			// Numbers side by side, as in {1..11}{1..11}, can be read in two ways.
			if seen[one] && !strings.Contains(text, "}{") || strings.ContainsAny(one, "{}") {
				t.Fatalf("%q: %q is there twice, or has a brace", text, one)
			}
			seen[one] = true
		}
		if n := parsed.Len(); !strings.Contains(text, "}{") && int64(len(seen)) != min(n, most) {
			t.Errorf("%q: %d texts, not %d", text, len(seen), n)
		}
	})
}

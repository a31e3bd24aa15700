package main

import (
	"slices"
	"testing"
)

func TestSimilar(t *testing.T) {
	names := []string{"batch", "batch-export", "heroku-2x5", "heroku-shared", "h1", "h2", "h3", "h4", "h5", "h6"}
	for _, tt := range []struct {
		want    string
		similar []string
	}{
		{"batsch", []string{"batch"}},
		{"batch-exp", []string{"batch-export"}},
		{"heroku", []string{"heroku-2x5", "heroku-shared"}},
		{"shared-heroku", nil},
		{"h7", []string{"h1", "h2", "h3", "h4", "h5"}}, // no more than five
		{"", []string{"h1", "h2", "h3", "h4", "h5"}},
	} {
		if got := similar(tt.want, names); !slices.Equal(got, tt.similar) {
			t.Errorf("similar(%q) = %q, want %q", tt.want, got, tt.similar)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"kitten", "sitting", 3},
		{"ab", "ba", 2},
	} {
		if got := edits(tt.a, tt.b); got != tt.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

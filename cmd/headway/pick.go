package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// pick returns those of all whose names are wanted, each once, in that order.
func pick[T any](flag string, wanted []string, all []T, name func(T) string) ([]T, error) {
	var picked []T
	for i, want := range wanted {
		at := slices.IndexFunc(all, func(v T) bool { return name(v) == want })
		switch {
		case at < 0:
			return nil, unknown(flag, want, all, name)
		case !slices.Contains(wanted[:i], want):
			picked = append(picked, all[at])
		}
	}
	return picked, nil
}

func unknown[T any](flag, want string, all []T, name func(T) string) error {
	var names []string
	for _, v := range all {
		names = append(names, name(v))
	}
	hint := "--list shows all"
	if like := similar(want, names); len(like) > 0 {
		hint = fmt.Sprintf("near it are %s; %s", strings.Join(like, ", "), hint)
	}
	return fmt.Errorf("%s: there is no %q: %s", flag, shorten(want, 40), hint)
}

// similar returns the names that somebody may have meant, the likeliest first.
func similar(want string, names []string) []string {
	const most = 5
	var like []string
	for _, name := range names {
		if edits(want, name) <= max(2, len(want)/3) || want != "" && strings.Contains(name, want) {
			like = append(like, name)
		}
	}
	slices.SortStableFunc(like, func(a, b string) int { return cmp.Compare(edits(want, a), edits(want, b)) })
	return like[:min(most, len(like))]
}

// edits is the Levenshtein distance: how many bytes to insert, delete or replace
// to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

package headers

import "strings"

// longestWord bounds the words that are taken apart.
const longestWord = 48

// splitName splits the lower-case name of a field into the words it is made of,
// without a leading x: "x-ratelimit-resettime" is rate, limit, reset, time.
func splitName(lower string) []string {
	var words []string
	for i, w := range strings.FieldsFunc(lower, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if i == 0 && w == "x" {
			continue
		}
		words = append(words, splitWord(w)...)
	}
	return words
}

// splitWord takes a fused word apart, if all its parts are known.
func splitWord(w string) []string {
	if short, ok := shorthands[w]; ok {
		return short
	}
	if _, ok := vocabulary[w]; ok || len(w) > longestWord || !splits(w) {
		return []string{w}
	}
	if parts := segment(w); parts != nil {
		return parts
	}
	if before, after, ok := strings.Cut(w, "ratelimit"); ok {
		parts := append(segmentOrWhole(before), "rate", "limit")
		return append(parts, segmentOrWhole(after)...)
	}
	return []string{w}
}

// splits reports whether it is worth to look into a word.
func splits(w string) bool {
	for _, part := range [...]string{"limit", "remaining", "left", "reset", "rate", "per", "current", "period", "quota", "retry", "availab"} {
		if strings.Contains(w, part) {
			return true
		}
	}
	return false
}

func segmentOrWhole(w string) []string {
	if w == "" {
		return nil
	}
	if parts := segment(w); parts != nil {
		return parts
	}
	return []string{w}
}

// segment cuts w into words of the vocabulary, the longest that fit first, or
// returns nil. ends[i] is the length of the word that starts at i in a full cut.
func segment(w string) []string {
	var ends [longestWord + 1]int
	for i := len(w) - 1; i >= 0; i-- {
		for end := len(w); end > i+1; end-- {
			if _, ok := vocabulary[w[i:end]]; ok && (end == len(w) || ends[end] > 0) {
				ends[i] = end
				break
			}
		}
	}
	var parts []string
	for i := 0; i < len(w); i = ends[i] {
		if ends[i] == 0 {
			return nil
		}
		parts = append(parts, w[i:ends[i]])
	}
	return parts
}

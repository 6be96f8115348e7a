package text

import "strings"

// And joins words as in a sentence: "a, b and c".
func And(words []string) string {
	last := len(words) - 1
	if last <= 0 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

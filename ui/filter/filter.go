// Package filter parses what people type to filter a list: letters, and words that begin
// with the name of a field ("by:claude since:2d").
package filter

import (
	"slices"
	"strings"
)

// Word is one word of a filter.
type Word struct {
	Field string // "by" of "by:claude"; empty for letters
	Value string // in lower case
	Typed string // as typed
	Not   bool   // preceded by !: it must not match
}

// Split splits a filter while it is being typed: a field without a value, or a ! alone, is
// ignored. fields are the existing ones, such as "by:". What looks like another field is
// treated as letters.
func Split(s string, fields []string) (out []Word) {
	for _, w := range strings.Fields(s) {
		w, not := strings.CutPrefix(w, inverse)
		name, value, ok := strings.Cut(w, ":")
		if !ok || !slices.Contains(fields, name+":") {
			name, value = "", w
		}
		if value != "" {
			out = append(out, Word{name, strings.ToLower(value), value, not})
		}
	}
	return out
}

// inverse before a word negates it.
const inverse = "!"

// Starting returns the words that begin with some letters, ignoring case.
func Starting(words []string, with string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(strings.ToLower(w), strings.ToLower(with)) {
			out = append(out, w)
		}
	}
	return out
}

// LastWord returns what is being typed: the word after the last blank.
func LastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// WrongTime says what a time can be: a word of a filter contains no blank.
const WrongTime = "takes 2d, 3h, 10:30, today, 2026-03 or 2026-03-01"

// Package matchtest gives tests a slow, obviously right matcher and hard texts.
package matchtest

import (
	"math/rand"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Spans finds a term by trying every place.
func Spans(term, text string, sensitive bool) (out [][2]int) {
	for i := 0; i < len(text); {
		if n := naivePrefix(term, text[i:], sensitive); n > 0 {
			out = append(out, [2]int{i, i + n})
			i += n
		} else {
			i++
		}
	}
	return out
}

func naivePrefix(term, text string, sensitive bool) (at int) {
	for _, want := range norm.NFC.String(term) {
		got, n := utf8.DecodeRuneInString(text[at:])
		same := want == got
		apart := []string{norm.NFD.String(string(want))}
		for f := unicode.SimpleFold(want); !sensitive && f != want; f = unicode.SimpleFold(f) {
			same = same || f == got
			apart = append(apart, norm.NFD.String(string(f)))
		}
		for _, form := range apart {
			if !same && strings.HasPrefix(text[at:], form) {
				same, got, n = true, want, len(form)
			}
		}
		if n == 0 || !same || got == utf8.RuneError {
			return 0
		}
		at += n
	}
	return at
}

// termPieces are what random texts and queries are made of.
var termPieces = []string{"a", "A", "k", "K", "\u212a", "s", "ſ", "ß", "ẞ", "ss", "σ", "ς", "Σ", "i", "İ", "ı", "I", "é", "É", "e\u0301", "日本", "👍", "\U0001f1e9\U0001f1ea",
	" ", " ", "\n", "\r\n", "\t", "\x1b[31m", "\x00", "\xff", "\xc3", "x-1", "_", "the", "Deploy", "deploy", "ab", "aab"}

// RandomText is a text of up to that many pieces that are hard to match: letters
// with several cases, half characters, control characters, line endings.
func RandomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.Intn(most) {
		b.WriteString(termPieces[r.Intn(len(termPieces))])
	}
	return b.String()
}

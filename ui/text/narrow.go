package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Measuring a character as terminals do that add up code points needs a table of 2 MB,
// which is built at the first character beyond U+02FF. Almost all text can be measured
// without it.

// Cluster returns the grapheme cluster at the beginning of s and its columns. A sequence of
// emoji has the columns of its sign. A letter with marks, as in Devanagari and Thai, has the
// columns of all its code points: many terminals draw the marks beside the letter, and in
// fewer columns they would be overwritten.
func Cluster(s string) (cluster string, cols int) {
	cluster, cols = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if r, n := utf8.DecodeRuneInString(cluster); n < len(cluster) && unicode.IsLetter(r) {
		cols = max(cols, ansi.WcWidth.StringWidth(cluster))
	}
	return cluster, cols
}

// Narrow returns the length of the character at the beginning of s if it is one column wide
// in either way of counting and independent of what follows, and is not a control
// character. Otherwise, or if that needs a closer look, it returns 0.
func Narrow(s string) int {
	n := narrow(s)
	if n < len(s) && s[n] >= utf8.RuneSelf && narrow(s[n:]) == 0 {
		return 0
	}
	return n
}

// Plain reports whether s is printable ASCII: as many columns as bytes, whatever follows.
func Plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// narrow is Narrow without checking whether a mark follows.
func narrow(s string) int {
	if s == "" {
		return 0
	}
	if c := s[0]; c < utf8.RuneSelf {
		if c < ' ' || c == 0x7f {
			return 0
		}
		return 1
	}
	if r, n := utf8.DecodeRuneInString(s); !wideSigns && narrowRune(r) {
		return n
	}
	return 0
}

// wideSigns reports whether signs take two columns, as in old East Asian fonts;
// RUNEWIDTH_EASTASIAN enables it.
var wideSigns = ansi.WcWidth.StringWidth("·") != 1

// narrowRune recognizes European letters and common signs.
func narrowRune(r rune) bool {
	switch {
	case r < 0x300:
		return r > 0xa0 && r != 0xad
	case r < 0x2000:
		return r >= 0x370 && r <= 0x482 || r >= 0x48a && r <= 0x52f
	case r < 0x2500:
		return r >= 0x2010 && r <= 0x2027 || r >= 0x2030 && r <= 0x205e || r >= 0x2190 && r <= 0x2319
	}
	return r <= 0x25fc || r == '✓' || r == '✗' || r >= 0x2800 && r <= 0x28ff
}

package diff

import (
	"bytes"
	"unicode"
)

// Kinds of differences that don't show where two texts are drawn one above the other.
const (
	OnlyLineEnds   = "only line ends differ"
	OnlyWhiteSpace = "only white space differs"
)

// Invisible says which such difference is all that two texts have; "" if they are equal or differ otherwise.
func (d *Diff) Invisible() string {
	switch {
	case d.Identical():
		return ""
	case bytes.Equal(lf(d.Old()), lf(d.New())):
		return OnlyLineEnds
	case SameButBlanks(d.Old(), d.New()):
		return OnlyWhiteSpace
	}
	return ""
}

func lf(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// AllCRLF reports whether every line end of a text is CRLF; then it is not worth showing.
func AllCRLF(text []byte) bool {
	return bytes.Count(text, []byte("\r\n")) == bytes.Count(text, []byte("\n"))
}

// SameButBlanks reports whether two lines or texts are equal except for white space, of Unicode's kinds too.
func SameButBlanks(a, b []byte) bool {
	for {
		a, b = bytes.TrimLeftFunc(a, unicode.IsSpace), bytes.TrimLeftFunc(b, unicode.IsSpace)
		if len(a) == 0 || len(b) == 0 {
			return len(a) == len(b)
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

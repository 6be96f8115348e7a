package text

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Measuring a character as terminals do that add up code points asks a table of
// 2 MB, which is made when the first one beyond U+02FF comes along. Almost all that
// is drawn is known without it.

// Narrow is how many bytes the character is that s begins with, if it is one column
// wide however columns are counted and stands for itself: neither does it change
// with what follows, nor is it a control character. It is 0 when that takes a closer
// look.
func Narrow(s string) int {
	n := narrow(s)
	if n < len(s) && s[n] >= utf8.RuneSelf && narrow(s[n:]) == 0 {
		return 0
	}
	return n
}

// narrow is Narrow without a look at what follows, which may be a mark.
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

// wideSigns says that signs take two columns, as in old fonts of East Asia: for who
// asks for that by RUNEWIDTH_EASTASIAN.
var wideSigns = ansi.WcWidth.StringWidth("·") != 1

// narrowRune knows the letters of Europe and the signs that text and screens are
// full of.
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

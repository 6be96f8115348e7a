package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/text"
)

// Terminals count the columns of some characters differently, by their version of Unicode and
// their font: sequences of emoji, flags, letters with marks. After such a character the cursor
// is not where the frame says, and the rest of the row would be shifted: the terminal is made to
// place it again.

// certain reports whether all terminals count the same columns for a cluster. They agree on
// single letters, which include ideographs.
func certain(cluster string) bool {
	r, n := utf8.DecodeRuneInString(cluster)
	jamo := r >= 0x1160 && r <= 0x11ff // vowels and finals that join the syllable before them
	return n == len(cluster) && unicode.IsLetter(r) && !jamo || text.Narrow(cluster) == len(cluster)
}

// anchored returns what shows a cluster at column x of w columns and leaves the cursor after
// it, no matter how many columns the terminal counts. Columns that the terminal does not count
// are blank. Near the right edge the terminal must not wrap.
func anchored(cluster string, x, cols, w int) string {
	s := strings.Repeat(" ", cols) + ansi.CursorHorizontalAbsolute(x+1) + cluster
	if x+cols < w {
		s += ansi.CursorHorizontalAbsolute(x + cols + 1)
	}
	if x+cols >= w || x+2*utf8.RuneCountInString(cluster) >= w {
		s = ansi.ResetModeAutoWrap + s + ansi.SetModeAutoWrap
	}
	return s
}

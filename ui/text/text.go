package text

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/memend/memend/memfs"
)

// Reset ends every style.
const Reset = "\x1b[m"

// TabWidth is the default distance of tab stops.
const TabWidth = 4

// maxCluster is the most bytes in one cell: a base letter under ten thousand accents is an
// attack on the terminal. The rest is drawn in further cells.
const maxCluster = 64

// kind is how a unit is drawn.
type kind uint8

const (
	plain    kind = iota // as it is
	tab                  // spaces
	caret                // ^X
	marked               // <U+202E>
	tagged               // <x>: a tag character, drawn as the letter that it stands for, so that what is hidden can be read
	badByte              // <9F>
	combined             // a mark without a base: ◌ and the mark
)

// unit measures the unit at the beginning of s, which is not empty: its length in bytes,
// its columns, and its kind. col is its column, for tabs.
func unit(s string, col, tabWidth int) (n, cols int, k kind) {
	c := s[0]
	if c < utf8.RuneSelf {
		switch {
		case c == '\t':
			return 1, tabWidth - col%tabWidth, tab
		case c < 0x20 || c == 0x7f:
			return 1, 2, caret
		case len(s) == 1 || s[1] < utf8.RuneSelf:
			return 1, 1, plain
		}
	} else {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			return 1, 4, badByte
		}
		if isTag(r) {
			return size, len("<x>"), tagged
		}
		if memfs.HiddenRune(r) {
			return size, len("<U+") + hexDigits(r) + len(">"), marked
		}
	}
	// The prefix is limited, so that the cost of a million accents is linear.
	g, cols := Cluster(s[:min(len(s), 4*maxCluster)])
	n = cut(g, s)
	if n < len(g) {
		g, cols = Cluster(g[:n])
		n = len(g)
	}
	if cols > 0 {
		return n, cols, plain
	}
	r, size := utf8.DecodeRuneInString(g)
	if ansi.GraphemeWidth.StringWidth("◌"+g) == 1 {
		return n, 1, combined
	}
	return size, len("<U+") + hexDigits(r) + len(">"), marked
}

// isTag reports whether a rune is the invisible tag of a printable ASCII character.
func isTag(r rune) bool { return r >= 0xe0020 && r <= 0xe007e }

// cut returns how much of the cluster g, which begins s, may be drawn as one: up to the
// first hidden rune that has no legitimate function there.
func cut(g, s string) int {
	prev := rune(0)
	for i, r := range g {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(g[i:]); size == 1 {
				return max(i, 1)
			}
		}
		if i > 0 && memfs.HiddenRune(r) {
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if i+utf8.RuneLen(r) >= len(s) {
				next = 0
			}
			if !memfs.Joins(prev, r, next) {
				return i
			}
		}
		if i >= maxCluster && (r == '\u200d' || ansi.GraphemeWidth.StringWidth(string(r)) == 0) {
			return i
		}
		prev = r
	}
	return len(g)
}

func hexDigits(r rune) int {
	switch {
	case r > 0xfffff:
		return 6
	case r > 0xffff:
		return 5
	}
	return 4
}

const upperHex = "0123456789ABCDEF"

// appendUnit draws the unit u of cols columns according to its kind.
func appendUnit(dst []byte, u string, cols int, k kind) []byte {
	switch k {
	case tab:
		return Spaces(dst, cols)
	case caret:
		return append(dst, '^', u[0]^0x40)
	case badByte:
		return append(dst, '<', upperHex[u[0]>>4], upperHex[u[0]&15], '>')
	case tagged:
		r, _ := utf8.DecodeRuneInString(u)
		return append(dst, '<', byte(r), '>')
	case marked:
		r, _ := utf8.DecodeRuneInString(u)
		dst = append(dst, "<U+"...)
		for i := hexDigits(r) - 1; i >= 0; i-- {
			dst = append(dst, upperHex[r>>(4*i)&15])
		}
		return append(dst, '>')
	case combined:
		dst = append(dst, "◌"...)
	}
	return append(dst, u...)
}

const blanks = "                                                                "

// Spaces appends n spaces, or none if n is negative.
func Spaces(dst []byte, n int) []byte {
	for n > len(blanks) {
		dst = append(dst, blanks...)
		n -= len(blanks)
	}
	if n > 0 {
		dst = append(dst, blanks[:n]...)
	}
	return dst
}

// Clip draws at most width columns of s, and returns how many it drew.
func Clip(dst []byte, s string, width int) ([]byte, int) {
	return Line{Width: width}.Append(dst, s)
}

// ClipMore is Clip that ends in … if s does not fit.
func ClipMore(dst []byte, s string, width int) ([]byte, int) {
	if width < 1 || fits(s, width) {
		return Clip(dst, s, width)
	}
	dst, cols := Clip(dst, s, width-1)
	return append(dst, "…"...), cols + 1
}

// ClipStart keeps the end of s, after …, if s does not fit: the end of a long path is more
// useful.
func ClipStart(dst []byte, s string, width int) ([]byte, int) {
	if width < 1 || fits(s, width) {
		return Clip(dst, s, width)
	}
	skip := Width(s) - (width - 1)
	dst = append(dst, "…"...)
	dst, cols := Line{Width: width - 1, Skip: skip}.Append(dst, s)
	return dst, cols + 1
}

// ClipMiddle keeps the beginning and the end of s, which must be safe to draw, with …
// between them if s does not fit.
func ClipMiddle(dst []byte, s string, width int) []byte {
	if width < 2 || fits(s, width) {
		dst, _ = ClipMore(dst, s, width)
		return dst
	}
	dst, cols := Clip(dst, s, (width-1)/2)
	dst, _ = ClipStart(dst, s, width-cols)
	return dst
}

// WholeParts removes the last parts of s, each after " · ", for which width columns are too few; the
// first part stays.
func WholeParts(s string, width int) string {
	for Width(s) > width {
		i := strings.LastIndex(s, " · ")
		if i < 0 {
			return s
		}
		s = s[:i]
	}
	return s
}

// Pad is Clip padded to exactly width columns.
func Pad(dst []byte, s string, width int) []byte {
	dst, cols := Clip(dst, s, width)
	return Spaces(dst, width-cols)
}

// fits reports whether s needs at most width columns; it examines no more of s than that.
func fits(s string, width int) bool {
	col := 0
	for len(s) > 0 {
		n, cols, _ := unit(s, col, TabWidth)
		if col += cols; col > width {
			return false
		}
		s = s[n:]
	}
	return true
}

// Width returns how many columns s takes when drawn.
func Width(s string) int { return Column(s, len(s), TabWidth) }

// Field makes s safe to include in a line: names, paths, error messages.
func Field(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			var dst []byte
			col := 0
			for len(s) > 0 {
				n, cols, k := unit(s, col, TabWidth)
				dst = appendUnit(dst, s[:n], cols, k)
				col += cols
				s = s[n:]
			}
			return string(dst)
		}
	}
	return s
}

// Column returns the column at which byte to of s is drawn.
func Column(s string, to, tabWidth int) int {
	col := 0
	for i := 0; i < to && i < len(s); {
		n, cols, _ := unit(s[i:], col, tabWidth)
		if i+n > to {
			break
		}
		col += cols
		i += n
	}
	return col
}

// Offset returns where in s the unit at column col begins, or len(s) right of its end.
func Offset(s string, col, tabWidth int) int {
	at := 0
	for i := 0; i < len(s); {
		n, cols, _ := unit(s[i:], at, tabWidth)
		if at+cols > col {
			return i
		}
		at += cols
		i += n
	}
	return len(s)
}

// Aside returns how many columns are scrolled out on the left after d more in a window of w columns. It scrolls no further
// right than shows the end of the longest of the lines.
func Aside(col, d, w int, lines iter.Seq[string]) int {
	to := max(col+d, 0)
	most := col
	for s := range lines {
		most = max(most, Column(s, Offset(s, to+w, TabWidth), TabWidth)-w)
	}
	return min(to, most)
}

// Next returns the end of the unit at byte i of s: one step of a cursor.
func Next(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	n, _, _ := unit(s[i:], 0, TabWidth)
	return i + n
}

// Prev returns the beginning of the unit that ends at byte i of s. Clusters can only be
// found forwards, so it starts at a place before i that certainly begins one: an ASCII
// character, or the start.
func Prev(s string, i int) int {
	if i <= 0 {
		return 0
	}
	j := i - 1
	for j > 0 && s[j] >= utf8.RuneSelf {
		j--
	}
	last := j
	for j < i {
		last = j
		j = Next(s, j)
	}
	return last
}

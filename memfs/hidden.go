package memfs

import "unicode/utf8"

// HiddenRune reports whether r is invisible by itself on a terminal, or changes how its
// neighbours look: bidi controls, zero-width characters, fillers, line and paragraph
// separators, tags, variation selectors, and control characters except tab, line feed and
// carriage return. (Unicode 16's Default_Ignorable_Code_Point and Bidi_Control, with the
// separators and annotations.)
func HiddenRune(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\t' && r != '\n' && r != '\r'
	case r < 0x7f:
		return false
	case r < 0xa0:
		return true // DEL and C1
	case r < 0x300:
		return r == 0xad // soft hyphen
	case r < 0x2000:
		return r == 0x34f || r == 0x61c || // grapheme joiner, Arabic letter mark
			r == 0x115f || r == 0x1160 || // Hangul fillers
			r == 0x17b4 || r == 0x17b5 || // Khmer inherent vowels
			r >= 0x180b && r <= 0x180f // Mongolian selectors and separator
	case r < 0x2070:
		return r >= 0x200b && r <= 0x200f || // zero-width, joiners, marks
			r >= 0x2028 && r <= 0x202e || // separators, embeddings, overrides
			r >= 0x2060 // word joiner, isolates, invisible operators
	case r < 0xfe00:
		return r == 0x3164 // Hangul filler
	case r < 0x10000:
		return r <= 0xfe0f || // variation selectors
			r == 0xfeff || r == 0xffa0 || // byte order mark, half-width filler
			r >= 0xfff0 && r <= 0xfffb // annotations
	}
	return r >= 0x1bca0 && r <= 0x1bca3 || // shorthand format
		r >= 0x1d173 && r <= 0x1d17a || // musical format
		r >= 0xe0000 && r <= 0xe0fff // tags, variation selectors supplement
}

const (
	zwnj = 0x200c
	zwj  = 0x200d
	vs15 = 0xfe0e // text presentation of the emoji before it
	vs16 = 0xfe0f // emoji presentation
	bom  = 0xfeff
)

// Joins reports whether the hidden rune r has its ordinary function between prev and next and
// hides nothing: a joiner inside an emoji or inside a word of a script that needs it, or a
// presentation selector right after a symbol. prev and next are 0 at the ends of the text.
func Joins(prev, r, next rune) bool {
	switch r {
	case zwj:
		return (pictographic(prev) || prev == vs16) && pictographic(next) || joining(prev) && joining(next)
	case zwnj:
		return joining(prev) && joining(next)
	case vs15, vs16:
		return pictographic(prev) || keycap(prev) && next == 0x20e3
	}
	return false
}

func keycap(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

// pictographic reports whether r is a symbol: a superset of Extended_Pictographic, with the
// skin tones that may end one.
func pictographic(r rune) bool {
	return r == 0xa9 || r == 0xae || r >= 0x203c && r <= 0x3299 && !HiddenRune(r) ||
		r >= 0x1f000 && r <= 0x1faff
}

// joining reports whether r belongs to a script that spells words with joiners: Arabic and
// its relatives, and those of India.
func joining(r rune) bool {
	return r >= 0x620 && r <= 0xdff || r >= 0xfb50 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc
}

// Hidden returns the number of characters of b that a terminal would not show. A carriage
// return counts unless a line feed follows: alone, it lets the rest of a line overwrite its
// beginning. A byte order mark at the start does not count. Invalid UTF-8 does not count,
// because it is shown as such.
func Hidden(b []byte) int {
	n := 0
	prev := rune(0)
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\t' && c != '\n' && (c != '\r' || i+1 < len(b) && b[i+1] != '\n') || c == 0x7f {
				n++
			}
			prev = rune(c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if mayHide(c) && HiddenRune(r) && !(r == bom && i == 0) {
			next, _ := utf8.DecodeRune(b[i+size:])
			if !Joins(prev, r, next) {
				n++
			}
		}
		prev = r
		i += size
	}
	return n
}

// mayHide reports whether a hidden rune can begin with the byte c. Most text is skipped by it.
func mayHide(c byte) bool {
	switch c {
	case 0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3:
		return true
	}
	return false
}

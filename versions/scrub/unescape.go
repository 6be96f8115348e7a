package scrub

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unescaped resolves the escapes of JSON, Go and similar languages: \n, \", \u00e9, \x41, \101. Everything else is unchanged. An escape that may
// continue after the end of b is returned as torn.
func unescaped(b []byte) (text, torn []byte) {
	text = make([]byte, 0, len(b))
	for at := 0; at < len(b); {
		if b[at] != '\\' {
			text = append(text, b[at])
			at++
			continue
		}
		r, n, short := escaped(b[at:])
		if short {
			return text, b[at:]
		}
		if n == 0 {
			text = append(text, b[at])
			at++
			continue
		}
		text = r.append(text)
		at += n
	}
	return text, nil
}

// unit is the value of one escape: a character or a byte.
type unit struct {
	r    rune
	byte bool
}

func (u unit) append(b []byte) []byte {
	if u.byte {
		return append(b, byte(u.r))
	}
	return utf8.AppendRune(b, u.r)
}

// escaped parses the escape at the beginning of b and returns its value and its length, 0 if there is none. short reports that b ends within it.
func escaped(b []byte) (u unit, n int, short bool) {
	if len(b) < 2 {
		return u, 0, true
	}
	switch c := b[1]; c {
	case 'n':
		return unit{'\n', true}, 2, false
	case 't':
		return unit{'\t', true}, 2, false
	case 'r':
		return unit{'\r', true}, 2, false
	case 'b':
		return unit{'\b', true}, 2, false
	case 'f':
		return unit{'\f', true}, 2, false
	case 'a':
		return unit{'\a', true}, 2, false
	case 'v':
		return unit{'\v', true}, 2, false
	case '"', '\'', '\\', '/':
		return unit{rune(c), true}, 2, false
	case 'x':
		return number(b, 2, 2, 16, true)
	case '0', '1', '2', '3':
		return number(b, 1, 3, 8, true)
	case 'U':
		return number(b, 2, 8, 16, false)
	case 'u':
		u, n, short = number(b, 2, 4, 16, false)
		if n == 0 || short || !utf16.IsSurrogate(u.r) {
			return u, n, short
		}
		if len(b) < 2*n {
			for i, c := range b[n:] { // possibly half of a surrogate pair
				if i == 0 && c != '\\' || i == 1 && c != 'u' {
					return u, n, false
				}
			}
			return u, 0, true
		}
		if low, m, _ := number(b[n:], 2, 4, 16, false); m > 0 && b[n] == '\\' && b[n+1] == 'u' {
			if r := utf16.DecodeRune(u.r, low.r); r != utf8.RuneError {
				return unit{r, false}, n + m, false
			}
		}
		return u, n, false
	}
	return u, 0, false
}

// number parses the digits of an escape that begin at from.
func number(b []byte, from, digits, base int, isByte bool) (u unit, n int, short bool) {
	end := min(from+digits, len(b))
	v, err := strconv.ParseUint(string(b[from:end]), base, 32)
	if end < from+digits {
		return u, 0, end == from || err == nil
	}
	if err != nil || isByte && v > 0xff || v > utf8.MaxRune {
		return u, 0, false
	}
	return unit{rune(v), isByte}, from + digits, false
}

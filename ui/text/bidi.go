package text

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A screen of columns is written from left to right, cell by cell, and right-to-left text
// is in it in the order in which it is stored. Most terminals show it so. Terminals that
// reorder such text treat a whole row as one paragraph, and mix text from different
// columns: for them each field is isolated from its neighbours.

const (
	isolate    = "\u2068" // FSI: the following text has its own direction
	endIsolate = "\u2069" // PDI
)

// RightToLeft reports whether b has letters of a script that is written from right to left.
func RightToLeft(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] < 0xd6 || b[i] > 0xdf && b[i] != 0xe0 && b[i] != 0xef && b[i] != 0xf0 {
			continue
		}
		if r, n := utf8.DecodeRune(b[i:]); n > 1 && rightToLeft(r) {
			return true
		}
	}
	return false
}

// rightToLeft reports whether r is in the blocks of Hebrew, Arabic and related scripts, as
// of Unicode 16.
func rightToLeft(r rune) bool {
	switch {
	case r < 0x590:
		return false
	case r < 0x900:
		return true
	case r < 0xfb1d:
		return false
	case r < 0x10000:
		return r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc
	}
	return r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

// Isolate returns a row of a frame, which is text with SGR sequences, with each field that
// has right-to-left letters in an isolate. A field ends where the style changes, at two
// spaces, and at a box-drawing line. A row has no other bidi controls, because all text was
// drawn by this package; isolates take no column.
func Isolate(row string) string {
	if !RightToLeft([]byte(row)) {
		return row
	}
	var dst []byte
	for len(row) > 0 {
		n := fieldLen(row)
		if n == 0 {
			n = gapLen(row)
			dst = append(dst, row[:n]...)
		} else if field := row[:n]; RightToLeft([]byte(field)) && !reaches(field) {
			dst = append(dst, isolate...)
			dst = append(dst, field...)
			dst = append(dst, endIsolate...)
		} else {
			dst = append(dst, field...)
		}
		row = row[n:]
	}
	return string(dst)
}

// fieldLen returns the length of the field at the beginning of s, or 0.
func fieldLen(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == 0x1b, strings.HasPrefix(s[i:], "  "), i == 0 && s[i] == ' ', i == len(s)-1 && s[i] == ' ',
			s[i] == ' ' && s[i+1] == 0x1b, line(s[i:]):
			return i
		}
	}
	return len(s)
}

// gapLen returns how much of s precedes the next field.
func gapLen(s string) int {
	switch {
	case s[0] == 0x1b:
		return strings.IndexByte(s, 'm') + 1
	case s[0] == ' ':
		return len(s) - len(strings.TrimLeft(s, " "))
	}
	return utf8.RuneLen('│')
}

// reaches reports whether the end of a field belongs to what follows it: the signs that
// surround Arabic numbers.
func reaches(field string) bool {
	r, _ := utf8.DecodeLastRuneInString(field)
	return unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// line reports whether s begins with a box-drawing character.
func line(s string) bool { return len(s) > 2 && s[0] == 0xe2 && (s[1] == 0x94 || s[1] == 0x95) }

// WithoutIsolates removes what Isolate added.
func WithoutIsolates(b []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(isolate), nil), []byte(endIsolate), nil)
}

package memfs

import (
	"bytes"
	"slices"
	"strconv"
)

// Lines are separated by line feeds only: a carriage return or U+2028 is part of its line. A
// text that ends in a line feed has an empty last line. An empty text is one empty line.

// countLines returns the number of lines of text.
func countLines(text []byte) int { return bytes.Count(text, newline) + 1 }

var newline = []byte{'\n'}

// skipLines returns the offset at which line n begins, counted from 0, or the length of text
// if it has fewer lines.
func skipLines(text []byte, n int) int {
	off := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(text[off:], '\n')
		if i < 0 {
			return len(text)
		}
		off += i + 1
	}
	return off
}

// appendNumbered appends the lines from first to last, counted from 1, each as `%6d<tab>line`,
// separated by line feeds.
func appendNumbered(dst, text []byte, first, last int) []byte {
	rest := text[skipLines(text, first-1):]
	for n := first; n <= last; n++ {
		line, after, _ := bytes.Cut(rest, newline)
		if n > first {
			dst = append(dst, '\n')
		}
		dst = append(appendNumber(dst, n), '\t')
		dst = append(dst, line...)
		rest = after
	}
	return dst
}

// appendNumber appends n formatted as %6d.
func appendNumber(dst []byte, n int) []byte {
	for limit := 100_000; limit > 1 && n < limit; limit /= 10 {
		dst = append(dst, ' ')
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// clip converts a view_range into lines that exist in a text of n lines. A last line of -1 is
// the end; one below that counts back from the end. An empty range has first > last.
func clip(ends *[2]int64, n int) (first, last int) {
	if ends == nil {
		return 1, n
	}
	a, b := max(ends[0], 1), ends[1]
	switch {
	case b == -1 || b > int64(n):
		b = int64(n)
	case b < -1:
		b += int64(n)
	}
	if a > int64(n) || b < a {
		return 1, 0
	}
	return int(a), int(b)
}

// occurrences returns the line on which each non-overlapping occurrence of old begins, and
// the offset of the first.
func occurrences(text, old []byte) (lines []int, at int) {
	at = -1
	for off, line := 0, 1; ; {
		i := bytes.Index(text[off:], old)
		if i < 0 {
			return lines, at
		}
		if at < 0 {
			at = i
		}
		line += bytes.Count(text[off:off+i], newline)
		lines = append(lines, line)
		line += bytes.Count(old, newline)
		off += i + len(old)
	}
}

// splice returns text with the bytes from at to end replaced by middle.
func splice(text []byte, at, end int, middle []byte) []byte {
	out := make([]byte, 0, len(text)-(end-at)+len(middle))
	out = append(out, text[:at]...)
	out = append(out, middle...)
	return append(out, text[end:]...)
}

// insertLines inserts insert after line n of text, which has at least that many lines. One
// line end at the end of insert is dropped; none is added at the end of text. A text whose lines all end
// in CRLF keeps these, and a byte order mark stays first.
func insertLines(text []byte, n int, insert []byte) []byte {
	end := newline
	if isCRLF(text) {
		end, insert = crlf, toCRLF(insert)
	}
	insert = bytes.TrimSuffix(insert, end)
	if n == countLines(text) {
		return splice(text, len(text), len(text), slices.Concat(end, insert))
	}
	at := skipLines(text, n)
	if at == 0 && bytes.HasPrefix(text, byteOrderMark) {
		at = len(byteOrderMark)
	}
	return splice(text, at, at, slices.Concat(insert, end))
}

var (
	crlf          = []byte("\r\n")
	byteOrderMark = []byte("\ufeff")
)

// isCRLF reports whether text has lines and all end in CRLF.
func isCRLF(text []byte) bool {
	n := bytes.Count(text, crlf)
	return n > 0 && n == bytes.Count(text, newline)
}

// toCRLF lets all lines of text end in CRLF.
func toCRLF(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, crlf, newline), newline, crlf)
}

// snippet appends the lines that str_replace shows of its change: from two lines before the
// line where the change begins to two after it.
func snippet(dst, text []byte, line int) []byte {
	return appendNumbered(dst, text, max(line-2, 1), min(line+2, countLines(text)))
}

// appendSize appends a size as listings show it: bytes below 1,024, then tenths of K, M or G,
// rounded half up. Rounding never changes the unit: 1,048,575 bytes are 1024.0K.
func appendSize(dst []byte, size int64) []byte {
	if size < 1024 {
		return append(strconv.AppendInt(dst, size, 10), 'B')
	}
	unit, div := byte('K'), int64(1)<<10
	if size >= 1<<30 {
		unit, div = 'G', 1<<30
	} else if size >= 1<<20 {
		unit, div = 'M', 1<<20
	}
	whole, rest := size/div, size%div // separately, so that no size overflows
	tenths := (20*rest + div) / (2 * div)
	dst = strconv.AppendInt(dst, whole+tenths/10, 10)
	dst = append(dst, '.')
	dst = strconv.AppendInt(dst, tenths%10, 10)
	return append(dst, unit)
}

package frame

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
)

// The rows of a frame contain only printable text and our own SGR sequences: the functions
// that cut rows rely on it.

// cut appends exactly the columns [from, to) of a row. A wide character at an edge becomes
// a blank. Styles begin and end as in the row.
func cut(dst []byte, row string, from, to int, m ansi.Method) []byte {
	col := 0
	styled := false // a style is on in dst
	pending := ""   // styles that were switched on left of from
	for len(row) > 0 && col < to {
		if row[0] == 0x1b {
			n := strings.IndexByte(row, 'm') + 1
			if n == 0 { // not one of ours: it must not pass
				row = row[1:]
				continue
			}
			seq := row[:n]
			row = row[n:]
			switch {
			case seq == text.Reset:
				if styled {
					dst = append(dst, seq...)
				}
				pending, styled = "", false
			case col >= from:
				dst = append(dst, seq...)
				styled = true
			default:
				pending += seq
			}
			continue
		}
		cluster, cols := row[:1], 1
		if row[0] >= 0x80 || len(row) > 1 && row[1] >= 0x80 {
			if n := text.Narrow(row); n > 0 {
				cluster = row[:n]
			} else {
				cluster, cols = ansi.FirstGraphemeCluster(row, m)
			}
		}
		row = row[len(cluster):]
		at := col
		col += cols
		if col <= from {
			continue
		}
		if pending != "" {
			dst = append(dst, pending...)
			pending, styled = "", true
		}
		if at < from || col > to {
			dst = text.Spaces(dst, min(col, to)-max(at, from))
			continue
		}
		dst = append(dst, cluster...)
	}
	if styled {
		dst = append(dst, text.Reset...)
	}
	return text.Spaces(dst, to-max(col, from))
}

// Canvas holds the options for drawing frames.
type Canvas struct {
	*theme.Theme
	Graphemes bool // the terminal counts columns by grapheme cluster
}

// Width returns how the terminal counts columns.
func (c Canvas) Width() ansi.Method {
	if c.Graphemes {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}

// Fit makes a row of w columns by grapheme cluster have w columns on a terminal that adds
// up code points, where a family emoji is as wide as all its members.
func (c Canvas) Fit(row string, w int) string {
	if c.Graphemes || !clusters(row) {
		return row
	}
	return string(cut(nil, row, 0, w, ansi.WcWidth))
}

// clusters reports whether s may contain a cluster that terminals measure differently:
// anything beyond Latin, Greek, Cyrillic, CJK and symbols.
func clusters(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0xf0, c == 0xe0, c == 0xe1, // emoji; Indic and other scripts of Asia
			c == 0xcc, c == 0xcd, // combining marks
			c >= 0xd6 && c <= 0xdf,                                          // Hebrew, Arabic
			c == 0xef && i+1 < len(s) && s[i+1] == 0xb8,                     // selectors
			c == 0xe2 && i+1 < len(s) && s[i+1] <= 0x83,                     // joiners, keycaps
			c == 0xe2 && i+1 < len(s) && (s[i+1]|1) == 0x9d,                 // dingbats
			c == 0xe2 && i+1 < len(s) && s[i+1]&^1 == 0x98&^1,               // symbols
			c == 0xe3 && i+2 < len(s) && s[i+1] == 0x82 && s[i+2]|3 == 0x9b: // voiced marks
			return true
		}
	}
	return false
}

package frame

import (
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
)

// The rows of a frame contain only printable text and our own SGR sequences: the functions
// that cut rows rely on it.

// cut appends exactly the columns [from, to) of a row. A wide character at an edge becomes
// a blank. Styles begin and end as in the row.
func cut(dst []byte, row string, from, to int) []byte {
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
				cluster, cols = text.Cluster(row)
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

// Canvas draws frames in a theme.
type Canvas struct{ *theme.Theme }

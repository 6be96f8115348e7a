package diffview

import (
	"bytes"
	"unicode/utf8"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// cell is one line of a text in its columns.
type cell struct {
	l     diff.Line
	left  bool // it belongs to the old text
	empty bool // its text has no line there

	s      string // what is drawn
	note   string // a note after the text
	width  int    // columns beside the number and the sign
	skip   int    // columns of the text scrolled out on the left
	starts []int  // of its rows, if it is wrapped
}

// lineBytes is how much of one line is wrapped into rows, and searched for its first difference:
// drawing a row must not take as long as a line of megabytes.
const lineBytes = 64 << 10

// cellsAt returns the cells of row y, a row of a hunk. Its columns are those after the
// gutter.
func (v *View) cellsAt(y int) (cells [2]cell, n int) {
	p := v.partAt(y)
	w := v.w - v.gutter()
	if !v.Beside() {
		cells[0] = v.cellOf(v.doc.diff.Row(p.hunk.Row+y-p.row), w, false)
		return cells, 1
	}
	l, r := v.doc.diff.Split(p.hunk.Split + y - p.row)
	half := (w - 1) / 2
	cells[0], cells[1] = cell{empty: true, width: half}, cell{empty: true, width: w - 1 - half}
	if l.Old > 0 {
		cells[0] = v.cellOf(l, half, true)
	}
	if r.New > 0 {
		cells[1] = v.cellOf(r, w-1-half, false)
	}
	return cells, 2
}

// cellOf returns the cell of a line with a number of columns.
func (v *View) cellOf(l diff.Line, cols int, left bool) cell {
	c := cell{l: l, left: left || l.Kind == diff.Removed, width: cols - v.indent()}
	if !v.wrap {
		c.skip = v.skipOf(l, c.width)
	}
	c.s, c.note = v.visible(l, c.skip+c.width)
	return c
}

// rows returns where the rows of a wrapped cell begin, at most limit if that is not 0. The
// note is the end of its text.
func (c *cell) rows(limit int) []int {
	switch {
	case c.starts != nil:
	case c.empty || c.width <= 0 || c.width >= len(c.s)+len(c.note) && isASCII(c.s):
		c.starts = []int{0}
	default:
		c.starts = text.Wrap(nil, c.s+c.note, c.width, 0, limit)
	}
	return c.starts
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// noNewline follows a line without a newline, if that is part of the difference.
const noNewline = " (no newline at the end)"

// most returns how many bytes a number of columns can show: a line of megabytes must not be
// copied for its visible part.
func (v *View) most(cols int) int {
	if v.wrap {
		return lineBytes
	}
	return (cols + 1) * 72
}

// visible returns the part of a line that a number of columns can show, without its end.
func (v *View) visible(l diff.Line, cols int) (s, note string) {
	b := v.ended(l.Text)
	if most := v.most(cols); len(b) > most {
		b = b[:most]
		for i := 1; i < utf8.UTFMax && !utf8.Valid(b[len(b)-min(i, len(b)):]); i++ {
			if utf8.RuneStart(b[len(b)-i]) {
				b = b[:len(b)-i]
				break
			}
		}
		if v.wrap {
			note = "…"
		}
		return string(b), note
	}
	if !bytes.HasSuffix(l.Text, []byte("\n")) && l.Kind != diff.Same {
		note = noNewline
	}
	return string(b), note
}

// ended returns a line without its end.
func (v *View) ended(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	if ended && v.doc.hideCR {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}

// skipOf returns how many columns of a line are scrolled out on the left: as far as the
// person scrolled, or as needed to show the first difference from the line beside it.
// Otherwise two long lines could look the same.
func (v *View) skipOf(l diff.Line, width int) int {
	if v.left > 0 || l.Kind == diff.Same {
		return v.left
	}
	old, new, ok := v.pairOf(l)
	if !ok {
		return 0
	}
	n := commonBytes(old.Text, new.Text)
	if n < width-differenceFrom || n > lineBytes {
		return 0
	}
	return v.skipTo(string(l.Text[:n]), width)
}

// differenceFrom is how many columns are between a difference and the right edge, if possible.
const differenceFrom = 12

// skipTo returns how many columns to skip so that what follows s is visible.
func (v *View) skipTo(s string, width int) int {
	col := text.Column(s, len(s), text.TabWidth)
	if col < width-differenceFrom {
		return 0
	}
	return max(0, col-width/2)
}

// commonBytes returns the length of the common prefix of two lines, in whole characters.
func commonBytes(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

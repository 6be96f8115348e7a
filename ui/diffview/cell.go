package diffview

import (
	"bytes"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// cell is one line of a text in its columns.
type cell struct {
	l     diff.Line
	left  bool // it belongs to the old text
	empty bool // its text has no line there

	s      string      // what is drawn
	runs   []run       // where parts of the line are in it
	cuts   []text.Span // the notes in it about what is left out
	note   string      // a note after the text
	width  int         // columns beside the number and the sign
	skip   int         // columns of the text scrolled out on the left
	starts []int       // of its rows, if it is wrapped
}

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
	around := max(v.context, 1) * max(c.width, 20)
	if v.whole {
		around = lineBytes / 2
	}
	v.excerpt(&c, v.ended(l.Text), around)
	if !bytes.HasSuffix(l.Text, []byte("\n")) && l.Kind != diff.Same {
		c.note = noNewline
	}
	if !v.wrap {
		c.skip = v.skipOf(&c)
	}
	return c
}

// rows returns where the rows of a wrapped cell begin. The note is the end of its text.
func (c *cell) rows() []int {
	switch {
	case c.starts != nil:
	case c.empty || c.width <= 0 || c.width >= len(c.s)+len(c.note) && text.Plain(c.s):
		c.starts = []int{0}
	default:
		c.starts = text.Wrap(nil, c.s+c.note, c.width, 0, 0)
	}
	return c.starts
}

// noNewline follows a line without a newline, if that is part of the difference.
const noNewline = " (no newline at the end)"

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
func (v *View) skipOf(c *cell) int {
	if v.left > 0 || c.l.Kind == diff.Same {
		return v.left
	}
	if len(c.s) <= c.width && text.Plain(c.s) {
		return 0
	}
	return v.skipTo(c.s[:v.difference(c)], c.width)
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

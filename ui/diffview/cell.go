package diffview

import (
	"bytes"
	"unicode/utf8"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// cell is one line of a text in the columns that it has, or two written as one.
type cell struct {
	l      diff.Line
	old    diff.Line // of a cell of both texts, where l is the new line
	left   bool      // it stands for the old text
	joined bool      // it is of both texts
	moved  bool
	empty  bool // its text has no line there

	s      string // what is drawn
	note   string // ours, behind it
	aside  string // ours, at the right edge of the first row
	width  int    // columns beside the number and the sign
	skip   int    // columns of the text out of sight on its left
	pieces []diff.Piece
	marks  []text.Span // of the pieces in s
	starts []int       // of its rows, when it is wrapped
}

// wrapBytes is how much of one line is broken into rows.
const wrapBytes = 64 << 10

// cellsAt is what row y is made of, which is one of a hunk. Its columns are those
// behind the gutter.
func (v *View) cellsAt(y int) (cells [2]cell, n int) {
	p := v.partAt(y)
	w := v.w - v.gutter()
	if !v.splits() {
		cells[0] = v.cellOf(v.doc.diff.Row(p.hunk.Row+y-p.row), w, false)
		return cells, 1
	}
	l, r := v.doc.diff.Split(p.hunk.Split + y - p.row)
	if v.layout == words {
		cells[0] = v.cellOfBoth(l, r, w)
		return cells, 1
	}
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

// cellOf is a line in so many columns.
func (v *View) cellOf(l diff.Line, cols int, left bool) cell {
	c := cell{l: l, left: left || l.Kind == diff.Removed, width: cols - v.indent()}
	_, _, c.moved = v.doc.moves.of(l)
	c.aside = v.movedNote(l, c.width)
	if !v.wrap {
		c.skip = v.skipOf(l, c.text())
	}
	c.s, c.note = v.visible(l, c.skip+c.text())
	return c
}

// cellOfBoth is one row of both texts: a line that they share, one that only one
// of them has, or two lines as one.
func (v *View) cellOfBoth(l, r diff.Line, cols int) cell {
	switch {
	case r.New == 0:
		return v.cellOf(l, cols, true)
	case r.Kind == diff.Same || l.Old == 0:
		return v.cellOf(r, cols, false)
	}
	c := cell{l: r, old: l, joined: true, width: cols - v.indent(), note: endNote(l, r)}
	if c.aside = v.movedNote(r, c.width); c.aside == "" {
		c.aside = v.movedNote(l, c.width)
	}
	if v.blankLine(c) {
		c.skip = v.left
		c.s, c.note = v.visible(r, c.skip+c.text())
		return c
	}
	if c.skip = v.left; c.skip == 0 && !v.wrap {
		if n := commonBytes(l.Text, r.Text); n <= farthest {
			c.skip = v.skipTo(string(r.Text[:n]), c.text())
		}
	}
	c.pieces = v.doc.diff.Pieces(l, r)
	c.s, c.marks = v.written(c.pieces, v.most(c.skip+c.text()))
	return c
}

// text is how many columns the text of a cell has.
func (c *cell) text() int {
	if c.aside == "" {
		return c.width
	}
	return c.width - len(c.aside) - 1
}

// rows is where the rows of a wrapped cell begin; no more than limit, when that is
// not 0. The note is the end of its text.
func (c *cell) rows(limit int) []int {
	switch {
	case c.starts != nil:
	case c.empty || c.width <= 0 || c.text() >= len(c.s)+len(c.note) && isASCII(c.s):
		c.starts = []int{0}
	default:
		c.starts = text.Wrap(nil, c.s+c.note, c.text(), 0, limit)
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

// noNewline stands behind a line that does not end in one, where that is part of
// what changed.
const noNewline = " (no newline at the end)"

// most is how many bytes so many columns can show: one column takes few bytes, and
// a line of megabytes must not be copied for the part of it that is seen.
func (v *View) most(cols int) int {
	if v.wrap {
		return wrapBytes
	}
	return (cols + 1) * 72
}

// visible is the part of a line that so many columns can show, without its end.
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

// ended is a line without its end.
func (v *View) ended(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	if ended && v.doc.hideCR {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}

// skipOf is how many columns of a line are out of sight on its left: what the
// person scrolled, or else so many that the first difference from the line beside
// it shows. Two long lines that look the same would tell nothing.
func (v *View) skipOf(l diff.Line, width int) int {
	if v.left > 0 || l.Kind == diff.Same {
		return v.left
	}
	old, new, ok := v.pairOf(l)
	if !ok {
		return 0
	}
	n := commonBytes(old.Text, new.Text)
	if n < width-differenceFrom || n > farthest {
		return 0
	}
	return v.skipTo(string(l.Text[:n]), width)
}

const (
	differenceFrom = 12      // columns that a difference should have before the right edge
	farthest       = 1 << 16 // bytes into a line that a difference is looked for
)

// skipTo is how many columns are skipped so that what comes after s shows.
func (v *View) skipTo(s string, width int) int {
	col := text.Column(s, len(s), text.TabWidth)
	if col < width-differenceFrom {
		return 0
	}
	return max(0, col-width/2)
}

// commonBytes is how many bytes two lines begin with alike, whole characters only.
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

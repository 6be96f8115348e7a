package editor

import (
	"sort"

	"github.com/memend/memend/ui/text"
)

// position is a row of the text as it is shown: the line and, if lines are wrapped, the row in
// it. Otherwise each line is one row.
type position struct{ line, row int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.row < q.row
}

// SetWrap sets whether long lines are wrapped, or cut at the edge and scrolled.
func (e *Editor) SetWrap(on bool) {
	if e.wrap == on {
		return
	}
	e.wrap, e.left = on, 0
	e.top.row = 0
	e.reveal()
	e.lex()
}

// Wraps reports whether long lines are wrapped.
func (e *Editor) Wraps() bool { return e.wrap }

func (e *Editor) toggleWrap() { e.SetWrap(!e.wrap) }

// wrapWidth returns the width of the rows of a wrapped line. The column after them is for
// the cursor behind a full row, and for the mark of the line end.
func (e *Editor) wrapWidth() int { return max(e.textWidth()-1, 1) }

// wrappedLine is where the rows of a line begin. It is right as long as the line and the
// width are the same: comparing a line with itself costs nothing.
type wrappedLine struct {
	line   string
	width  int
	starts []int
}

// maxWraps limits how many lines are kept with their rows.
const maxWraps = 256

// keptLine is the number of bytes from which the rows of a line are kept.
const keptLine = 512

// breaks returns where the rows of line k begin, relative to the line.
func (e *Editor) breaks(buf []int, k int) []int {
	s, w := e.lineText(k), e.wrapWidth()
	switch {
	case !e.wrap || len(s) <= w && text.Plain(s):
		return append(buf, 0)
	case len(s) < keptLine:
		return text.Wrap(buf, s, w, tab, 0)
	}
	kept := e.wraps[k]
	if kept.width != w || kept.line != s {
		if len(e.wraps) >= maxWraps {
			clear(e.wraps)
		}
		kept = wrappedLine{s, w, text.Wrap(nil, s, w, tab, 0)}
		e.wraps[k] = kept
	}
	return kept.starts
}

// rowsOf returns how many rows line k has.
func (e *Editor) rowsOf(k int) int {
	var buf [64]int
	return len(e.breaks(buf[:0], k))
}

// rowAt returns where a row begins, and where the next one begins or the text of the line
// ends.
func (e *Editor) rowAt(p position) (from, to int) {
	var buf [64]int
	start, end, _ := e.line(p.line)
	starts := e.breaks(buf[:0], p.line)
	row := min(p.row, len(starts)-1)
	if row+1 < len(starts) {
		end = start + starts[row+1]
	}
	return start + starts[row], end
}

// placeOf returns the row that shows byte i; between two rows, the lower one.
func (e *Editor) placeOf(i int) position {
	var buf [64]int
	k := e.text.lineOf(i)
	at := i - e.text.lineStart(k)
	return position{k, sort.SearchInts(e.breaks(buf[:0], k), at+1) - 1}
}

// xOf returns the column of the row at p in which byte i is drawn.
func (e *Editor) xOf(p position, i int) int {
	if !e.wrap {
		return e.column(p.line, i) - e.left
	}
	from, to := e.rowAt(p)
	s := e.text.slice(from, to)
	return min(text.Column(s, i-from, tab), e.wrapWidth()) // blanks at the end of a row extend over the edge
}

// byteAtColumn returns the byte of a row that is drawn at a column. Right of the row it is
// the end of the line or, if the line continues, the last character of the row.
func (e *Editor) byteAtColumn(p position, x int) int {
	if !e.wrap {
		return e.offset(p.line, max(0, e.left+x))
	}
	from, to := e.rowAt(p)
	_, end, _ := e.line(p.line)
	at := from + text.Offset(e.text.slice(from, to), max(x, 0), tab)
	if at >= to && to < end && to > from {
		return e.prev(to)
	}
	return at
}

// move returns the place n rows below or above p, and how far it got: at most to the first
// or last row.
func (e *Editor) move(p position, n int) (position, int) {
	last := len(e.text.lines) - 1
	if !e.wrap {
		to := min(max(p.line+n, 0), last)
		return position{line: to}, to - p.line
	}
	moved := 0
	for moved < n {
		if p.row+1 < e.rowsOf(p.line) {
			p.row++
		} else if p.line < last {
			p = position{line: p.line + 1}
		} else {
			break
		}
		moved++
	}
	for moved > n {
		if p.row > 0 {
			p.row--
		} else if p.line > 0 {
			p = position{p.line - 1, e.rowsOf(p.line-1) - 1}
		} else {
			break
		}
		moved--
	}
	return p, moved
}

// distance returns how many rows q is below p, at most limit; -1 if it is above.
func (e *Editor) distance(p, q position, limit int) int {
	if q.before(p) {
		return -1
	}
	if !e.wrap {
		return min(q.line-p.line, limit)
	}
	n := -p.row
	for k := p.line; k < q.line && n < limit; k++ {
		n += e.rowsOf(k)
	}
	return min(n+q.row, limit)
}

// clampTop moves the window to where there is text, and no further down than the end of the
// text requires.
func (e *Editor) clampTop() {
	last := len(e.text.lines) - 1
	e.top.line = min(max(e.top.line, 0), last)
	if e.top.row = max(e.top.row, 0); e.top.row > 0 {
		e.top.row = min(e.top.row, e.rowsOf(e.top.line)-1)
	}
	rows := e.rows()
	if last-e.top.line >= rows { // each line has at least one row
		return
	}
	if _, below := e.move(e.top, rows-1); below < rows-1 {
		e.top, _ = e.move(e.top, below-(rows-1))
	}
}

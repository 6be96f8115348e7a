package editor

import (
	"sort"
	"strconv"

	"github.com/memend/memend/ui/text"
)

// window is the part of a document that is shown: which row is the first, where lines are
// wrapped, and where a byte is drawn.
type window struct {
	doc  *document
	w    int // columns, with the line numbers
	rows int // at least 1

	wrap  bool
	top   position            // the first visible row
	left  int                 // columns scrolled out on the left; 0 if lines are wrapped
	wraps map[int]wrappedLine // of the long lines that were shown
}

func newWindow(d *document) window {
	return window{doc: d, rows: 1, wraps: map[int]wrappedLine{}}
}

// position is a row of the text as it is shown: the line and, if lines are wrapped, the row in
// it. Otherwise each line is one row.
type position struct{ line, row int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.row < q.row
}

// wrappedLine is where the rows of a line begin. It is right as long as the line and the
// width are the same: comparing a line with itself costs nothing.
type wrappedLine struct {
	line   string
	width  int
	starts []int
}

// gutter returns the width of the line numbers: the same as in the memory pane, so that the
// text does not move, or 0 if little would be left for the text.
func (v *window) gutter() int {
	n := max(3, len(strconv.Itoa(len(v.doc.text.lines)))) + 2
	if v.w < n+12 {
		return 0
	}
	return n
}

func (v *window) textWidth() int { return max(0, v.w-v.gutter()) }

// wrapWidth returns the width of the rows of a wrapped line. The column after them is for
// the cursor behind a full row, and for the mark of the line end.
func (v *window) wrapWidth() int { return max(v.textWidth()-1, 1) }

// maxWraps limits how many lines are kept with their rows.
const maxWraps = 256

// keptLine is the number of bytes from which the rows of a line are kept.
const keptLine = 512

// breaks returns where the rows of line k begin, relative to the line.
func (v *window) breaks(buf []int, k int) []int {
	s, w := v.doc.text.lineText(k), v.wrapWidth()
	switch {
	case !v.wrap || len(s) <= w && text.Plain(s):
		return append(buf, 0)
	case len(s) < keptLine:
		return text.Wrap(buf, s, w, tab, 0)
	}
	kept := v.wraps[k]
	if kept.width != w || kept.line != s {
		if len(v.wraps) >= maxWraps {
			clear(v.wraps)
		}
		kept = wrappedLine{s, w, text.Wrap(nil, s, w, tab, 0)}
		v.wraps[k] = kept
	}
	return kept.starts
}

// rowsOf returns how many rows line k has.
func (v *window) rowsOf(k int) int {
	var buf [64]int
	return len(v.breaks(buf[:0], k))
}

// rowAt returns where a row begins, and where the next one begins or the text of the line
// ends.
func (v *window) rowAt(p position) (from, to int) {
	var buf [64]int
	start, end, _ := v.doc.text.line(p.line)
	starts := v.breaks(buf[:0], p.line)
	row := min(p.row, len(starts)-1)
	if row+1 < len(starts) {
		end = start + starts[row+1]
	}
	return start + starts[row], end
}

// placeOf returns the row that shows byte i; between two rows, the lower one.
func (v *window) placeOf(i int) position {
	var buf [64]int
	k := v.doc.text.lineOf(i)
	at := i - v.doc.text.lineStart(k)
	return position{k, sort.SearchInts(v.breaks(buf[:0], k), at+1) - 1}
}

// xOf returns the column of the row at p in which byte i is drawn.
func (v *window) xOf(p position, i int) int {
	if !v.wrap {
		return v.doc.text.column(p.line, i) - v.left
	}
	from, to := v.rowAt(p)
	s := v.doc.text.slice(from, to)
	return min(text.Column(s, i-from, tab), v.wrapWidth()) // blanks at the end of a row extend over the edge
}

// byteAtColumn returns the byte of a row that is drawn at a column. Right of the row it is
// the end of the line or, if the line continues, the last character of the row.
func (v *window) byteAtColumn(p position, x int) int {
	if !v.wrap {
		return v.doc.text.offset(p.line, max(0, v.left+x))
	}
	from, to := v.rowAt(p)
	_, end, _ := v.doc.text.line(p.line)
	at := from + text.Offset(v.doc.text.slice(from, to), max(x, 0), tab)
	if at >= to && to < end && to > from {
		return v.doc.text.prev(to)
	}
	return at
}

// move returns the place n rows below or above p, and how far it got: at most to the first
// or last row.
func (v *window) move(p position, n int) (position, int) {
	last := len(v.doc.text.lines) - 1
	if !v.wrap {
		to := min(max(p.line+n, 0), last)
		return position{line: to}, to - p.line
	}
	moved := 0
	for moved < n {
		if p.row+1 < v.rowsOf(p.line) {
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
			p = position{p.line - 1, v.rowsOf(p.line-1) - 1}
		} else {
			break
		}
		moved--
	}
	return p, moved
}

// distance returns how many rows q is below p, at most limit; -1 if it is above.
func (v *window) distance(p, q position, limit int) int {
	if q.before(p) {
		return -1
	}
	if !v.wrap {
		return min(q.line-p.line, limit)
	}
	n := -p.row
	for k := p.line; k < q.line && n < limit; k++ {
		n += v.rowsOf(k)
	}
	return min(n+q.row, limit)
}

// clampTop moves the window to where there is text, and no further down than the end of the
// text requires.
func (v *window) clampTop() {
	last := len(v.doc.text.lines) - 1
	v.top.line = min(max(v.top.line, 0), last)
	if v.top.row = max(v.top.row, 0); v.top.row > 0 {
		v.top.row = min(v.top.row, v.rowsOf(v.top.line)-1)
	}
	rows := v.rows
	if last-v.top.line >= rows { // each line has at least one row
		return
	}
	if _, below := v.move(v.top, rows-1); below < rows-1 {
		v.top, _ = v.move(v.top, below-(rows-1))
	}
}

// show scrolls as little as possible to show byte i, with some rows above and below it.
func (v *window) show(i, margin int) {
	at := v.placeOf(i)
	rows := v.rows
	margin = min(margin, (rows-1)/2)
	// The window may begin anywhere between these two.
	highest, _ := v.move(at, margin+1-rows)
	lowest, _ := v.move(at, -margin)
	if v.top.before(highest) {
		v.top = highest
	}
	if lowest.before(v.top) {
		v.top = lowest
	}
	v.clampTop()
	if !v.wrap {
		v.revealColumn(v.doc.text.column(at.line, i))
	}
}

// revealColumn scrolls sideways as little as possible to show a column.
func (v *window) revealColumn(col int) {
	w := v.textWidth()
	if w <= 0 {
		return
	}
	margin := min(4, (w-1)/2)
	if col < w-1 && v.left < w { // near the beginning, show the beginning
		v.left = 0
		return
	}
	v.left = max(0, min(max(v.left, col-w+1+margin), max(0, col-margin)))
}

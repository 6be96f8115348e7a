package editor

import (
	"sort"

	"github.com/memend/memend/ui/text"
)

// place is a row of the text as it is shown: the line and, if lines are wrapped, the row in
// it. Otherwise each line is one row.
type place struct{ line, row int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.row < q.row }

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

// breaks returns where the rows of line k begin, relative to the line: for a long line only
// as far as needed to include row and the byte at, and the row after them. done reports
// that these are all.
func (e *Editor) breaks(buf []int, k, row, at int) (starts []int, done bool) {
	if !e.wrap {
		return append(buf, 0), true
	}
	start, end, _ := e.line(k)
	w := e.wrapWidth()
	if end-start > keptLine {
		return e.ruler(k).rows(e, start, end, w, row, at)
	}
	s := e.slice(start, end)
	if len(s) <= w && printable(s) {
		return append(buf, 0), true
	}
	return text.Wrap(buf, s, w, tab, 0), true
}

// keptLine is the number of bytes from which the rows of a line are cached.
const keptLine = 512

// noByte makes breaks look for a row only.
const noByte = -1

// rows is breaks for a long line: unknown rows are computed piece by piece, and cached
// until the line is edited or the width changes.
func (r *ruler) rows(e *Editor, start, end, width, row, at int) (starts []int, done bool) {
	if r.width != width || len(r.starts) == 0 {
		r.width, r.starts, r.whole = width, append(r.starts[:0], 0), false
	}
	for size := markEvery; !r.whole && (len(r.starts) <= row+1 || r.starts[len(r.starts)-1] <= at); {
		last := r.starts[len(r.starts)-1]
		to := min(end, start+last+size)
		found := text.Wrap(nil, e.slice(start+last, to), width, tab, 0)
		if to == end {
			r.whole = true
			found = append(found, 0) // the text before last was not included
		}
		n := 1
		// The beginning of a row is final if the next row begins well before the end of the
		// text examined: it depends only on the text before that.
		for ; n < len(found)-1 && (r.whole || start+last+found[n+1]+lookahead <= to); n++ {
			r.starts = append(r.starts, last+found[n])
		}
		if n == 1 {
			size *= 2 // for example blanks that extend over the edge
		} else {
			size = max(size, 8*markEvery)
		}
	}
	return r.starts, r.whole
}

// cut drops the rows that an edit at byte at may move: the beginning of a row depends on
// the text up to the next row.
func (r *ruler) cut(at int) {
	n := 1
	for n+1 < len(r.starts) && r.starts[n+1]+lookahead < at {
		n++
	}
	r.starts, r.whole = r.starts[:min(n, len(r.starts))], false
}

// rowsOf returns how many rows line k has, but at most limit.
func (e *Editor) rowsOf(k, limit int) int {
	var buf [64]int
	starts, _ := e.breaks(buf[:0], k, limit, noByte)
	return min(len(starts), limit)
}

// everyRow is a limit that no line reaches.
const everyRow = int(^uint(0)>>1) - 1

// rowAt returns where a row begins, and where the next one begins or the text of the line
// ends.
func (e *Editor) rowAt(p place) (from, to int) {
	var buf [64]int
	start, end, _ := e.line(p.line)
	starts, _ := e.breaks(buf[:0], p.line, p.row, noByte)
	row := min(p.row, len(starts)-1)
	if row+1 < len(starts) {
		return start + starts[row], start + starts[row+1]
	}
	return start + starts[row], end
}

// placeOf returns the row that shows byte i; between two rows, the lower one.
func (e *Editor) placeOf(i int) place {
	var buf [64]int
	k := e.text.lineOf(i)
	at := i - e.text.lineStart(k)
	starts, _ := e.breaks(buf[:0], k, 0, at)
	row := len(starts) - 1
	if n := len(starts); n > 32 {
		row = sort.SearchInts(starts, at+1) - 1
	}
	for row > 0 && starts[row] > at {
		row--
	}
	return place{k, row}
}

// xOf returns the column of the row at p in which byte i is drawn.
func (e *Editor) xOf(p place, i int) int {
	if !e.wrap {
		return e.column(p.line, i) - e.left
	}
	from, to := e.rowAt(p)
	s := e.slice(from, min(to, i+lookahead))
	return min(text.Column(s, i-from, tab), e.wrapWidth()) // blanks at the end of a row extend over the edge
}

// byteAtColumn returns the byte of a row that is drawn at a column. Right of the row it is
// the end of the line or, if the line continues, the last character of the row.
func (e *Editor) byteAtColumn(p place, x int) int {
	if !e.wrap {
		return e.offset(p.line, max(0, e.left+x))
	}
	from, to := e.rowAt(p)
	_, end, _ := e.line(p.line)
	at := from + text.Offset(e.slice(from, to), max(x, 0), tab)
	if at >= to && to < end && to > from {
		return e.prev(to)
	}
	return at
}

// move returns the place n rows below or above p, and how far it got: at most to the first
// or last row.
func (e *Editor) move(p place, n int) (place, int) {
	last := e.text.lines() - 1
	if !e.wrap {
		to := min(max(p.line+n, 0), last)
		return place{line: to}, to - p.line
	}
	moved := 0
	for moved < n {
		if p.row+1 < e.rowsOf(p.line, p.row+2) {
			p.row++
		} else if p.line < last {
			p = place{line: p.line + 1}
		} else {
			break
		}
		moved++
	}
	for moved > n {
		if p.row > 0 {
			p.row--
		} else if p.line > 0 {
			p = place{p.line - 1, e.rowsOf(p.line-1, everyRow) - 1}
		} else {
			break
		}
		moved--
	}
	return p, moved
}

// distance returns how many rows q is below p, at most limit; -1 if it is above.
func (e *Editor) distance(p, q place, limit int) int {
	if q.before(p) {
		return -1
	}
	if !e.wrap {
		return min(q.line-p.line, limit)
	}
	n := -p.row
	for k := p.line; k < q.line && n < limit; k++ {
		n += e.rowsOf(k, limit-n)
	}
	return min(n+q.row, limit)
}

// clampTop moves the window to where there is text, and no further down than the end of the
// text requires.
func (e *Editor) clampTop() {
	last := e.text.lines() - 1
	e.top.line = min(max(e.top.line, 0), last)
	if e.top.row = max(e.top.row, 0); e.top.row > 0 {
		e.top.row = min(e.top.row, e.rowsOf(e.top.line, e.top.row+1)-1)
	}
	rows := e.rows()
	if last-e.top.line >= rows { // each line has at least one row
		return
	}
	if _, below := e.move(e.top, rows-1); below < rows-1 {
		e.top, _ = e.move(e.top, below-(rows-1))
	}
}

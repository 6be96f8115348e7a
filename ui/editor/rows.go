package editor

import (
	"sort"

	"github.com/memend/memend/ui/text"
)

// place is a row of the text as it is shown: of a line, where lines are wrapped,
// the one row of several. Where they are not, each line is one row.
type place struct{ line, row int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.row < q.row }

// SetWrap says whether long lines are wrapped, or cut at the edge and scrolled.
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

// wrapWidth is how wide the rows of a wrapped line are. The column beside them is
// for the cursor behind a full row, and for what marks the end of the line.
func (e *Editor) wrapWidth() int { return max(e.textWidth()-1, 1) }

// breaks are where the rows of line k begin, counted from its own beginning: all of
// them of a line that is not long, else at least those that it takes to hold row and
// the byte at of the line, and what follows them. done says that these are all.
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

// keptLine is from how many bytes on the rows of a line are remembered.
const keptLine = 512

// noByte asks breaks for a row, whatever byte it begins at.
const noByte = -1

// rows is breaks of a long line: what is not known yet is found piece by piece, and
// remembered until the line is edited or gets another width.
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
			found = append(found, 0) // not looked at: all before it count
		}
		n := 1
		// Where a row begins is sure when the next one begins well before the end of
		// what was looked at: what decides it stands before that.
		for ; n < len(found)-1 && (r.whole || start+last+found[n+1]+lookahead <= to); n++ {
			r.starts = append(r.starts, last+found[n])
		}
		if n == 1 {
			size *= 2 // blanks that hang over the edge, say
		} else {
			size = max(size, 8*markEvery)
		}
	}
	return r.starts, r.whole
}

// cut forgets the rows that an edit at the byte at of the line may move: where a row
// begins rests on what stands in it up to the next.
func (r *ruler) cut(at int) {
	n := 1
	for n+1 < len(r.starts) && r.starts[n+1]+lookahead < at {
		n++
	}
	r.starts, r.whole = r.starts[:min(n, len(r.starts))], false
}

// rowsOf is how many rows line k has; of many no more than limit are counted.
func (e *Editor) rowsOf(k, limit int) int {
	var buf [64]int
	starts, _ := e.breaks(buf[:0], k, limit, noByte)
	return min(len(starts), limit)
}

// everyRow is a limit above all that a line can have.
const everyRow = int(^uint(0)>>1) - 1

// rowAt is where a row of line k begins and where the next one does, or the text of
// the line ends.
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

// placeOf is the row that shows byte i; one between two rows shows in the lower.
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

// xOf is the column of the row at p that byte i is drawn in.
func (e *Editor) xOf(p place, i int) int {
	if !e.wrap {
		return e.column(p.line, i) - e.left
	}
	from, to := e.rowAt(p)
	s := e.slice(from, min(to, i+lookahead))
	return min(text.Column(s, i-from, tab), e.wrapWidth()) // blanks at the end of a row hang over the edge
}

// byteAtColumn is the byte of a row that is drawn at a column. To the right of the
// row it is the end of the line, or of a row that goes on, its last character.
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

// move is the place n rows below p, or above it, and how far it got: to the first
// row or the last at most.
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

// distance is how many rows q is below p, limit when it is that many or more; -1
// when it is above.
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

// clampTop brings the window to where there is text, and no further down than it
// takes to show the end.
func (e *Editor) clampTop() {
	last := e.text.lines() - 1
	e.top.line = min(max(e.top.line, 0), last)
	if e.top.row = max(e.top.row, 0); e.top.row > 0 {
		e.top.row = min(e.top.row, e.rowsOf(e.top.line, e.top.row+1)-1)
	}
	rows := e.rows()
	if last-e.top.line >= rows { // each line has a row
		return
	}
	if _, below := e.move(e.top, rows-1); below < rows-1 {
		e.top, _ = e.move(e.top, below-(rows-1))
	}
}

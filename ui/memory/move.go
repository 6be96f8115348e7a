package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/text"
)

// scroll moves the window by d rows and keeps it full. It reports whether it moved.
func (v *viewport) scroll(d int) bool {
	v.arrange()
	return v.win.Scroll(d, v.rows.len())
}

// aside scrolls sideways.
func (v *viewport) aside(d int) {
	if !v.wrap && v.rows.md == nil {
		v.col = text.Aside(v.col, d, v.textWidth(), func(yield func(string) bool) {
			for y := range v.win.H {
				if line, ok := v.lineAt(y); !ok || !yield(v.doc.line(line)) {
					return
				}
			}
		})
	}
}

// showFrom puts the row with a byte of a line at the top of the window.
func (v *viewport) showFrom(top spot) {
	v.arrange()
	v.win.Top = 0
	if top != (spot{}) {
		v.win.Top = v.rows.of(top)
	}
	v.scroll(0)
}

// restore shows a position, or the nearest one that exists.
func (v *viewport) restore(at position) {
	v.cur = at.cur
	v.cur.line = min(v.cur.line, v.doc.lastLine())
	v.showFrom(at.top)
	v.reveal()
}

// place puts the cursor at a place, and its line in a row of the viewport.
func (v *viewport) place(at spot, row int) {
	v.cur = at
	v.cur.line = min(v.cur.line, v.doc.lastLine())
	v.win.Top = v.rows.begins(v.cur.line)
	v.scroll(v.bar - row)
	v.reveal()
}

// goTo shows a line, from 0, near the middle.
func (v *viewport) goTo(line int) {
	v.cur = spot{line: min(max(line, 0), v.doc.lastLine())}
	v.unfolded = v.unfolded || v.cur.line > 0 && v.cur.line < v.doc.front
	v.arrange()
	if !v.shows(v.cur.line) {
		v.win.Near(v.rows.begins(v.cur.line), v.rows.len())
	}
}

// jump goes to a line, and extends the selection.
func (v *viewport) jump(line int) {
	v.goTo(line)
	v.extend()
}

// toLine goes to a line, counted from 1, or to the end.
func (v *viewport) toLine(n int) {
	switch {
	case n == 0:
		v.cur = spot{line: v.doc.lastLine()}
		v.scroll(v.rows.len())
	case n == 1:
		v.win.Top, v.cur = 0, spot{}
	default:
		v.goTo(n - 1)
	}
	v.extend()
}

// extend extends the selection, if there is one, to the line of the cursor.
func (v *viewport) extend() {
	if v.sel.on {
		v.sel.lines, v.sel.head.line = true, v.cur.line
	}
}

// reach shows a character: its row, and its column if lines are not wrapped.
func (v *viewport) reach(at spot) {
	v.goTo(at.line)
	s := v.doc.line(at.line)
	v.cur.at = min(max(at.at, 0), len(s))
	if row := v.rows.of(v.cur); !v.win.Holds(row) {
		v.win.Near(row, v.rows.len())
	}
	if !v.wrap && v.rows.md == nil {
		if col := text.Column(s, v.cur.at, text.TabWidth); col < v.col || col >= v.col+v.textWidth() {
			v.col = max(col-v.textWidth()/2, 0)
		}
	}
}

// shows reports whether the beginning of a line is on the screen, and not in its last row
// unless the text ends there.
func (v *viewport) shows(line int) bool {
	row := v.rows.begins(line)
	return v.win.Holds(row) && (row < v.win.Top+v.win.H-1 || v.win.Top+v.win.H >= v.rows.len())
}

// rowsOfCursor returns the rows of the window on which the line of the cursor begins and ends.
func (v *viewport) rowsOfCursor() (from, to int) {
	from = v.rows.begins(v.cur.line)
	to = max(v.rows.first(v.cur.line+1)-1, from)
	return from - v.win.Top, to - v.win.Top
}

// move moves the cursor by lines. A line that is longer than the screen scrolls first.
func (v *viewport) move(d int) {
	from, to := v.rowsOfCursor()
	ends, begins := to < v.win.H || from >= v.win.H, from >= 0 || to < 0
	if (d == 1 && !ends || d == -1 && !begins) && v.scroll(d) {
		return
	}
	r := &v.rows
	i := r.begins(v.cur.line)
	for ; d > 0 && r.first(r.lineOf(i)+1) < r.len(); d-- {
		i = r.first(r.lineOf(i) + 1)
	}
	for ; d < 0 && r.first(r.lineOf(i)) > 0; d++ {
		i = r.first(r.lineOf(i)) - 1
	}
	v.moveTo(r.lineOf(i))
}

// moveTo moves the cursor to a line, and scrolls no more than necessary.
func (v *viewport) moveTo(line int) {
	v.setCursor(line)
	v.scrollTo(line)
}

// setCursor moves the cursor to a line without scrolling.
func (v *viewport) setCursor(line int) {
	if line != v.cur.line {
		v.cur = spot{line: line}
	}
	v.extend()
}

// scrollTo scrolls no more than necessary to show a line, and one below it.
func (v *viewport) scrollTo(line int) {
	r := &v.rows
	row := r.begins(line)
	switch below := row + 2 - v.win.H - v.win.Top; {
	case row < v.win.Top:
		if v.win.Top = row; row > 0 && row-1 == r.cut { // with the rule above it
			v.win.Top--
		}
	case v.shows(line):
	case below <= v.win.H:
		v.scroll(below)
	default:
		v.win.Near(row, r.len())
	}
}

// scrollPage scrolls by rows. The cursor keeps its row of the screen, and goes to the first or last
// line if nothing is left to scroll.
func (v *viewport) scrollPage(d int) {
	y, _ := v.rowsOfCursor()
	scrolled := v.scroll(d)
	line, ok := v.lineAt(min(max(y, 0), v.win.H-1))
	switch {
	case scrolled && ok:
		v.setCursor(line)
	case d > 0:
		v.setCursor(v.doc.lastLine())
	default:
		v.setCursor(0)
	}
}

const wheelLines = 3

// wheel scrolls. The cursor moves to the nearest visible line.
func (v *viewport) wheel(by tea.MouseButton) {
	switch by {
	case tea.MouseWheelDown:
		v.scroll(wheelLines)
	case tea.MouseWheelUp:
		v.scroll(-wheelLines)
	case tea.MouseWheelRight:
		v.aside(8)
	case tea.MouseWheelLeft:
		v.aside(-8)
	}
	if !v.readable() || v.win.H == 0 {
		return
	}
	first, _ := v.lineAt(0)
	last, ok := v.lineAt(v.win.H - 1)
	if !ok {
		last = v.doc.lastLine()
	}
	if to := min(max(v.cur.line, first), last); to != v.cur.line {
		v.cur = spot{line: to}
	}
}

// reveal scrolls to the cursor after the size or the layout of the text changed.
func (v *viewport) reveal() {
	if v.readable() && v.win.H > 0 {
		if from, to := v.rowsOfCursor(); to < 0 || from >= v.win.H {
			v.scrollTo(min(v.cur.line, v.doc.lastLine()))
		}
	}
}

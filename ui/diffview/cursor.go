package diffview

import (
	"github.com/memend/memend/versions/diff"
)

// For the cursor, a hunk is a run of lines that changed together, between lines that are
// the same in both texts, regardless of the context shown around it. The head of a document is one, too, before them.

// Hunk returns the index of the current hunk, or -1 without hunks, and the number of hunks.
func (v *View) Hunk() (i, n int) {
	n = len(v.doc.diff.Edits())
	return min(v.cur, n-1) + v.doc.heads(), n + v.doc.heads()
}

// Select makes hunk i the current one and shows it.
func (v *View) Select(i int) { v.goTo(i - v.doc.heads()) }

// goTo makes an edit the current hunk, by its index, or the head with -1.
func (v *View) goTo(i int) {
	if _, n := v.Hunk(); n == 0 {
		return
	}
	v.cur, v.sel, v.point = max(-v.doc.heads(), min(i, len(v.doc.diff.Edits())-1)), nil, 0
	if v.OnHead() {
		v.win.Top = 0
	}
	v.reveal()
	v.draw()
}

// OnHead reports whether the head of the document is the current hunk.
func (v *View) OnHead() bool { return v.cur < 0 && v.doc.heads() > 0 }

// Line returns the line of the new text where the current hunk, or the selection in it,
// begins, from 1, or 0 without a hunk.
func (v *View) Line() int {
	s, ok := v.Selection()
	if !ok {
		return 0
	}
	at := s.part.Edit.New + s.part.NewFrom
	return max(1, min(at+1, v.doc.diff.NewLines()))
}

// Selecting reports whether lines of the current hunk are selected.
func (v *View) Selecting() bool { return v.sel != nil }

// Deselect ends the selection of lines; it reports whether there was one.
func (v *View) Deselect() bool {
	was := v.sel != nil
	v.sel = nil
	if was {
		v.draw()
	}
	return was
}

func (v *View) current() (diff.Edit, bool) {
	edits := v.doc.diff.Edits()
	if v.cur < 0 || v.cur >= len(edits) {
		return diff.Edit{}, false
	}
	return edits[v.cur], true
}

// jump moves n hunks forward, or back if n is negative.
func (v *View) jump(n int) {
	edits := v.doc.diff.Edits()
	dir, at := 1, v.cur
	if n < 0 {
		n, dir = -n, -1
	}
	for i := v.cur + dir; n > 0 && i >= -v.doc.heads() && i < len(edits); i += dir {
		if i < 0 || !v.lenient || !v.doc.blank[i] {
			at = i
			n--
		}
	}
	v.goTo(at)
}

// inSight reports whether a part of a hunk is in the window.
func (v *View) inSight(i int) bool {
	edits := v.doc.diff.Edits()
	if i < 0 || i >= len(edits) {
		return false
	}
	first, end := v.extent(edits[i])
	return first < v.win.Top+v.win.H && end > v.win.Top
}

// begins reports whether the first row of the current hunk is in the window.
func (v *View) begins() bool {
	e, ok := v.current()
	return ok && v.win.Holds(v.at.First(v.rowOf(e)))
}

// extent returns the first row of the window that an edit takes, and the one after it.
func (v *View) extent(e diff.Edit) (first, end int) {
	row := v.rowOf(e)
	return v.at.First(row), v.at.First(row + v.rowsOf(e))
}

// reveal scrolls to the current hunk, with the context above it for which there is room, unless it
// is completely in the window.
func (v *View) reveal() {
	e, ok := v.current()
	if !ok {
		return
	}
	row := v.rowOf(e)
	above := min(defaultContext, row-v.partAt(row).row) + 1
	above = min(above, max(v.win.H-v.rowsOf(e), v.win.H/3), row)
	first, end := v.extent(e)
	if v.at.First(max(row-1, 0)) < v.win.Top || end > v.win.Top+v.win.H {
		for above > 0 && first-v.at.First(row-above) >= v.win.H { // wrapped lines take several rows
			above--
		}
		v.win.Top = v.at.First(row - above)
		v.move(0)
		v.showDifference()
	}
}

// follow makes the first hunk in the window the current one, if that was scrolled out of
// it.
func (v *View) follow() {
	if v.inSight(v.cur) || v.OnHead() && v.win.Top == 0 || len(v.doc.diff.Edits()) == 0 {
		return
	}
	i, in := v.editAt(v.rowAt(0))
	if !in {
		i++
	}
	if v.inSight(i) {
		v.cur, v.sel, v.point = i, nil, 0
	}
}

// selection is a range of rows of the current hunk, relative to its first row.
type selection struct{ from, to int } // where it began, and where it ends now

func (s selection) holds(row int) bool { return row >= min(s.from, s.to) && row <= max(s.from, s.to) }

// Point makes a line of the new text, from 1, the one where a selection begins, if it is in the current hunk.
func (v *View) Point(line int) {
	if e, ok := v.current(); ok && line > e.New && line <= e.NewEnd() {
		if v.point = line - 1 - e.New; !v.Beside() {
			v.point += e.OldLines
		}
	}
}

// ToggleSelection begins or ends the selection of lines in the current hunk. It begins at the line that was clicked, or else at
// the first one in sight.
func (v *View) ToggleSelection() {
	e, ok := v.current()
	if !ok || v.Deselect() {
		return
	}
	at := v.point
	if v.inSight(v.cur) {
		at = max(at, v.rowAt(0)-v.rowOf(e))
	}
	if at = max(0, min(at, v.rowsOf(e)-1)); at == 0 {
		v.reveal()
	}
	v.sel = &selection{at, at}
	v.showEnd()
}

// otherEnd makes the beginning of the selection the end that moves.
func (v *View) otherEnd() {
	v.sel.from, v.sel.to = v.sel.to, v.sel.from
	v.showEnd()
}

// down moves the end of the selection, or scrolls.
func (v *View) down(n int) {
	e, ok := v.current()
	if v.sel == nil || !ok {
		v.scroll(n)
		return
	}
	v.sel.to = max(0, min(v.sel.to+n, v.rowsOf(e)-1))
	v.showEnd()
}

// showEnd scrolls as little as possible to show the end of the selection.
func (v *View) showEnd() {
	e, _ := v.current()
	row := v.rowOf(e) + v.sel.to
	v.win.Reveal(v.at.First(row), v.at.First(row+1)-1, v.at.Len())
	v.draw()
}

// click makes the hunk at a row of the window the current one.
func (v *View) click(y int) {
	row := v.rowAt(y)
	i, in := v.editAt(row)
	if i < 0 && v.partAt(row).kind != headPart {
		i = 0
	}
	v.cur, v.sel, v.press = min(i, max(0, len(v.doc.diff.Edits())-1)), nil, -1
	if e, ok := v.current(); ok && in {
		v.press = row - v.rowOf(e)
	}
	v.point = v.press
	v.draw()
}

// drag selects from the row where the button was pressed.
func (v *View) drag(y int) {
	e, ok := v.current()
	if !ok || v.press < 0 {
		return
	}
	to := max(0, min(v.rowAt(y)-v.rowOf(e), v.rowsOf(e)-1))
	if v.sel == nil && to == v.press {
		return
	}
	v.sel = &selection{v.press, to}
	v.showEnd()
}

package diffview

import (
	"sort"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// partAt returns the part that contains row y.
func (v *View) partAt(y int) section {
	n := sort.Search(len(v.parts), func(i int) bool { return v.parts[i].row > y })
	return v.parts[max(n-1, 0)]
}

// arrange rebuilds the parts after a change of the document, the context or the layout.
func (v *View) arrange() {
	v.parts, v.hunks, v.rows = v.parts[:0], v.hunks[:0], 0
	add := func(p section) {
		p.row = v.rows
		v.rows += p.rows
		v.parts = append(v.parts, p)
	}
	if v.doc.head != "" {
		for _, row := range text.Rows(v.doc.head, v.w-v.gutter(), 0) {
			add(section{kind: headPart, rows: 1, note: row})
		}
	}
	for _, n := range v.notes() {
		for _, row := range text.Rows(n, v.w-v.gutter(), 0) {
			add(section{kind: notePart, rows: 1, note: row})
		}
	}
	d := v.doc.diff
	at := 0 // lines of the new text before this part
	fold := func(to int) {
		if to > at {
			add(section{kind: foldPart, rows: 1, hidden: to - at})
		}
	}
	context := v.context
	if v.whole {
		context = max(d.OldLines(), d.NewLines())
	}
	hunks := d.Hunks(context)
	for _, h := range hunks {
		first := h.NewStart - 1
		if h.NewLines == 0 {
			first++
		}
		fold(first)
		at = first + h.NewLines
		rows := h.Rows
		if v.Beside() {
			rows = h.Splits
		}
		v.hunks = append(v.hunks, len(v.parts))
		add(section{kind: hunkPart, rows: rows, hunk: h})
	}
	if len(hunks) > 0 {
		fold(d.NewLines())
	}
	if len(v.parts) == 0 {
		add(section{kind: notePart}) // so that there is always a part
	}
	v.measure()
	v.draw()
}

// notes returns the rows above the diff: those of the document, and notes about the way it
// is shown.
func (v *View) notes() []string {
	if !v.lenient || v.doc.plain {
		return v.doc.notes
	}
	note := "No line differs in white space only."
	if n := v.doc.blanks; n > 0 {
		note = draw.Plural(n, "line differs", "lines differ") + " in white space only: dim."
	}
	return append(v.doc.notes[:len(v.doc.notes):len(v.doc.notes)], note)
}

// keepPlace changes the arrangement of rows and keeps the current hunk, or else the one
// nearest to the window's top, where it is on the screen.
func (v *View) keepPlace(change func()) {
	edits := v.doc.diff.Edits()
	n := v.cur
	if !v.inSight(n) {
		n = sort.Search(len(edits), func(i int) bool { return v.at.First(v.rowOf(edits[i])) >= v.win.Top })
		n = min(n, len(edits)-1)
	}
	off := 0
	if n >= 0 {
		off = min(v.at.First(v.rowOf(edits[n]))-v.win.Top, v.win.H)
	}
	v.sel, v.press = nil, -1 // row numbers have changed
	atTop := v.win.Top == 0
	change()
	v.arrange()
	if n >= 0 && !atTop {
		v.win.Top = v.at.First(v.rowOf(edits[n])) - off
		v.draw()
	}
	if v.whole && atTop && !v.inSight(v.cur) {
		v.reveal()
		v.draw()
	}
}

// rearrange is keepPlace for a change that the person asked for: what differs stays visible.
func (v *View) rearrange(change func()) {
	v.keepPlace(change)
	v.showDifference()
	v.draw()
}

// rowOf returns the row where an edit begins.
func (v *View) rowOf(e diff.Edit) int {
	n := sort.Search(len(v.hunks), func(i int) bool { return v.parts[v.hunks[i]].hunk.Row > e.Row() })
	p := v.parts[v.hunks[n-1]] // every edit is in one
	if v.Beside() {
		return p.row + e.Split() - p.hunk.Split
	}
	return p.row + e.Row() - p.hunk.Row
}

// rowsOf returns how many rows an edit has.
func (v *View) rowsOf(e diff.Edit) int {
	if v.Beside() {
		return max(e.OldLines, e.NewLines)
	}
	return e.OldLines + e.NewLines
}

// editAt returns the edit that contains row y, or else the last that begins above it, or
// -1.
func (v *View) editAt(y int) (i int, in bool) {
	edits := v.doc.diff.Edits()
	i = sort.Search(len(edits), func(i int) bool { return v.rowOf(edits[i]) > y }) - 1
	return i, i >= 0 && y < v.rowOf(edits[i])+v.rowsOf(edits[i])
}

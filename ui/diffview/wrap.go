package diffview

import "github.com/memend/memend/ui/window"

// A row of the diff takes one row of the window or, if long lines are wrapped, as many as its text needs.

// measure computes where the rows of the diff are.
func (v *View) measure() { v.at = window.Measure(v.at, v.rows, v.height) }

// height returns how many rows of the window row y takes.
func (v *View) height(y int) int {
	if !v.wrap || v.partAt(y).kind != hunkPart {
		return 1
	}
	n := 1
	cells, _ := v.cellsAt(y)
	for i := range cells {
		n = max(n, len(cells[i].rows()))
	}
	return n
}

// move scrolls by n rows of the window, and keeps it full.
func (v *View) move(n int) { v.win.Scroll(n, v.at.Len()) }

// rowAt returns the row at row y of the window; the last one below the end.
func (v *View) rowAt(y int) int { return v.at.Item(v.win.Top + y) }

// SetWrap sets whether long lines are wrapped.
func (v *View) SetWrap(on bool) {
	if v.wrap != on {
		v.rearrange(func() { v.wrap, v.left = on, 0 })
	}
}

func (v *View) toggleWrap() { v.SetWrap(!v.wrap) }

func (v *View) asideDisabled() string {
	if v.wrap {
		return "lines are wrapped"
	}
	return ""
}

package diffview

// Selected returns the position of the beginning of the current hunk, or of the end of its
// selection.
func (v *View) Selected() (x, y int, ok bool) {
	e, ok := v.current()
	if !ok {
		return 0, 0, false
	}
	row := v.rowOf(e)
	if v.sel != nil {
		row += v.sel.to
	}
	for y := range v.win.H { // one that begins above is visible from the first row on
		if at := v.rowAt(y); at >= row {
			return 0, y, at < v.rowOf(e)+max(v.rowsOf(e), 1)
		}
	}
	return 0, 0, false
}

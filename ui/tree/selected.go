package tree

// Selected returns the position of the cursor's row.
func (t *Pane) Selected() (x, y int, ok bool) {
	y = t.cur - t.top
	return 0, y, t.cur < len(t.rows) && y >= 0 && y < t.listHeight()
}

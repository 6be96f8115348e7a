package tree

// Selected is where the row of the cursor begins.
func (t *Pane) Selected() (x, y int, ok bool) {
	y = t.cur - t.top
	return 0, y, t.cur < len(t.rows) && y >= 0 && y < t.listHeight()
}

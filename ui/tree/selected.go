package tree

// Selected returns the position of the cursor's row.
func (t *Pane) Selected() (x, y int, ok bool) {
	return t.at.Cell(0, len(t.rows), t.listHeight())
}

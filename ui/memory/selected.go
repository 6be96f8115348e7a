package memory

// Selected returns the position of the cursor's line.
func (m *Pane) Selected() (x, y int, ok bool) {
	if !m.shown() {
		return 0, 0, m.win.H > 0
	}
	x = m.gutter()
	y, _ = m.rowsOfCursor()
	return x, m.bar + y, y >= 0 && y < m.win.H
}

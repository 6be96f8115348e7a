package memory

// Selected returns the position of the cursor's line or, without a cursor, of the first
// line of text.
func (m *Pane) Selected() (x, y int, ok bool) {
	if !m.shown() {
		return 0, 0, m.h > 0
	}
	x = m.gutter()
	switch {
	case !m.hasCursor():
		return x, 0, m.h > 0
	case m.sheet != nil:
		y = m.sheet.begins(m.here) - m.sheet.index(m.top)
		return x, y, y >= 0 && y < m.h
	}
	y, ok = m.rowOn(place{line: m.here, row: m.ruled(m.here)})
	return x, y, ok
}

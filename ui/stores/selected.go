package stores

// Selected is where the row of the cursor begins.
func (p *Pane) Selected() (x, y int, ok bool) {
	y = p.cur - p.top
	return 0, headRows + y, p.cur < len(p.rows) && y >= 0 && y < p.listHeight()
}

package plan

// Selected returns where the row of the cursor begins.
func (p *Pane) Selected() (x, y int, ok bool) {
	at := p.places()
	y = p.Cur - p.Top
	return at.list.X, at.list.Y + y, p.Cur < len(p.rows) && y >= 0 && y < at.list.H
}

package merge

// Selected returns where the change under the cursor begins.
func (p *Pane) Selected() (x, y int, ok bool) {
	if p.cur < 0 {
		return 0, 0, false
	}
	b := &p.board
	y = max(b.at.First(p.cur)-b.win.Top, 0)
	return 0, b.y + 1 + y, y < b.win.H && b.at.First(p.cur+1) > b.win.Top
}

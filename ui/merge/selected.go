package merge

// Selected returns where the change under the cursor begins.
func (p *Pane) Selected() (x, y int, ok bool) {
	if p.cur < 0 {
		return 0, 0, false
	}
	b := &p.board
	p.eachRow(b, func(row int, at place, _ *block) {
		if !ok && at.part == p.cur {
			y, ok = b.y+1+row, true
		}
	})
	return 0, y, ok
}

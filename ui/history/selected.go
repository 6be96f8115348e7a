package history

// Selected returns where the row of the cursor begins, in the list or in the diff.
func (p *Pane) Selected() (x, y int, ok bool) {
	a, l := p.arrange(), p.list()
	if p.inDiff {
		x, y, ok = p.diff.Selected()
		return a.diff.X + x, a.diff.Y + y, ok && a.diff.H > 0
	}
	y = l.Cur - l.Top
	return a.list.X, a.list.Y + y, l.Cur < len(l.rows) && y >= 0 && y < a.list.H
}

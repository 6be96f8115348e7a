package timeline

// Selected returns where the tree's row of the cursor begins.
func (p *Pane) Selected() (x, y int, ok bool) {
	at := p.places().tree
	x, y, ok = p.tree.Selected()
	return at.X + x, at.Y + y, ok && y < at.H
}

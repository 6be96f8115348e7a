package frame

// Grab begins to drag the border at a cell, if there is one.
func (f *Frame) Grab(x, y int) { f.dragged, f.dragging = f.borderAt(x, y) }

// Release ends the drag, and reports whether there was one.
func (f *Frame) Release() bool {
	held := f.dragging
	f.dragging = false
	return held
}

// Dragging reports whether a border is being dragged.
func (f *Frame) Dragging() bool { return f.dragging }

// Drag moves the dragged border to a cell.
func (f *Frame) Drag(x, y int) {
	if f.dragged >= len(f.borders) { // the layout changed meanwhile
		f.dragging = false
		return
	}
	f.ratios = f.borders[f.dragged].moved(f.ratios, x, y)
}

// Even resets all borders to their default positions.
func (f *Frame) Even() { f.ratios = ratios{} }

// Grow makes the focused pane wider and taller by moving the nearest border that can be
// moved in that direction.
func (f *Frame) Grow(cols, rows int) {
	pane := f.Panes[f.focus]
	for i := len(f.borders) - 1; i >= 0; i-- {
		b := f.borders[i]
		if b.across != (rows != 0) {
			continue
		}
		x, y := b.X, b.Y
		switch {
		case b.across && (pane.X < b.X || pane.X >= b.X+b.W): // of another column
			continue
		case b.across && pane.Y >= b.Y, !b.across && pane.X > b.X: // it is before the pane
			x, y = x-cols, y-rows
		default:
			x, y = x+cols, y+rows
		}
		f.ratios = b.moved(f.ratios, x, y)
		return
	}
}

// Movable reports whether there is a border to move.
func (f *Frame) Movable() bool { return len(f.borders) > 0 }

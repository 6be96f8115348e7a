package draw

// Box is a rectangle in a pane, in cells. A box without area is empty.
type Box struct{ X, Y, W, H int }

// At returns the box of w columns and h rows whose first cell is x, y.
func At(x, y, w, h int) Box { return Box{X: x, Y: y, W: w, H: h} }

// CutTop removes rows from the top, and returns them.
func (b *Box) CutTop(rows int) Box {
	top := At(b.X, b.Y, b.W, rows)
	b.Y += rows
	b.H -= rows
	return top
}

// Holds reports whether a cell is in the box.
func (b Box) Holds(x, y int) bool { return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H }

package draw

// Box is a part of a pane, in cells of it. One without room is empty.
type Box struct{ X, Y, W, H int }

// At is the box of w columns and h rows whose first cell is x, y.
func At(x, y, w, h int) Box { return Box{X: x, Y: y, W: w, H: h} }

// CutTop takes so many rows off the top, and gives them.
func (b *Box) CutTop(rows int) Box {
	top := At(b.X, b.Y, b.W, rows)
	b.Y += rows
	b.H -= rows
	return top
}

// Holds reports whether a cell is within it.
func (b Box) Holds(x, y int) bool { return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H }

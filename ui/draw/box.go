package draw

// Box is a part of a pane, in cells of it. One without room is empty.
type Box struct{ X, Y, W, H int }

// At is the box of w columns and h rows whose first cell is x, y.
func At(x, y, w, h int) Box { return Box{X: x, Y: y, W: w, H: h} }

// Holds reports whether a cell is within it.
func (b Box) Holds(x, y int) bool { return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H }

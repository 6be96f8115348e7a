// Package geometry has the shapes of the screen's layout, in cells.
package geometry

// Rect is a part of the screen. A pane's first row is its title.
type Rect struct{ X, Y, W, H int }

// Empty reports whether r has no cells.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Holds reports whether r contains a cell.
func (r Rect) Holds(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Point is a cell.
type Point struct{ X, Y int }

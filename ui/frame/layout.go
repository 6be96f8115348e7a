// Package frame lays out the panes on the screen and draws what is around them: their title
// rows, the lines between them, the status line, messages and dialogs.
//
// It does not depend on any pane: everything to draw is passed in. Drawing changes no
// state.
package frame

import "github.com/memend/memend/ui/geometry"

// Slot is a position for a pane.
type Slot int

const (
	Tree Slot = iota
	Memory
	History
	Agents
	Slots
)

// Names are the names of the slots.
var Names = [Slots]string{"tree", "memory", "history", "agents"}

// beside reports whether a pane is shown beside the memory, or instead of it, and only
// after it was opened.
func (s Slot) beside() bool { return s == History || s == Agents }

// division is the layout of the screen. Hidden panes have empty rectangles.
type division struct {
	W, H     int
	TooSmall bool // only a notice fits
	Tabs     bool // one pane is shown; its title row names the others
	Body     int  // rows of the panes
	Panes    [Slots]geometry.Rect
	Status   int // row of the status line, -1 if there is none
	Hints    int // row of the key hints, -1 if there is none
	borders  []border
}

const (
	minWidth, minHeight = 20, 5
	twoPanes            = 60
	wide                = 90
	threeColumns        = 170
	tall                = 16 // rows from which two panes are shown one above the other
)

// ratios are the positions of borders that a person moved, in thousandths; 0 means the
// default.
type ratios struct{ tree, below, side, stack int }

// border is a line between panes that can be moved.
type border struct {
	geometry.Rect
	of     func(*ratios) *int
	across bool // it is horizontal, and moves up and down
	from   int  // where the divided area begins
	length int  // the length of that area
	turned bool // the ratio is that of the part right of it, or below
}

// situation is what the layout depends on besides the size.
type situation struct {
	focus  Slot
	zoomed bool
	open   [Slots]bool // whether the history and the agents are open
	last   Slot        // the one of these that had the focus last
	ratios ratios
}

// only returns which of the panes beside the memory is shown if there is room for one.
func (s situation) only() (Slot, bool) {
	switch {
	case s.focus.beside() && s.open[s.focus]:
		return s.focus, true
	case s.last.beside() && s.open[s.last]:
		return s.last, true
	case s.open[History]:
		return History, true
	}
	return Agents, s.open[Agents]
}

// part returns the share of a length for a ratio, or the default, within limits.
func part(length, ratio, otherwise, least, most int) int {
	if ratio > 0 {
		otherwise = length * ratio / 1000
	}
	return max(least, min(otherwise, most))
}

// layout lays out a screen of w by h cells. Only this function decides how the screen is
// divided.
func layout(w, h int, s situation) division {
	f := division{W: w, H: h, Status: -1, Hints: -1}
	if w < minWidth || h < minHeight {
		f.TooSmall = true
		return f
	}
	f.Body = h - 1
	f.Status = h - 1
	if h >= 8 {
		f.Body--
		f.Status, f.Hints = h-2, h-1
	}
	if s.focus.beside() && !s.open[s.focus] {
		s.focus = Memory
	}
	switch {
	case s.zoomed:
		f.Panes[s.focus] = geometry.Rect{X: 0, Y: 0, W: w, H: f.Body}
	case w < twoPanes:
		f.Tabs = true
		f.Panes[s.focus] = geometry.Rect{X: 0, Y: 0, W: w, H: f.Body}
	default:
		tree := part(w, s.ratios.tree, min(max(w/3, 24), 46), 16, w-36)
		f.Panes[Tree] = geometry.Rect{X: 0, Y: 0, W: tree, H: f.Body}
		f.borders = append(f.borders, border{Rect: geometry.Rect{X: tree, Y: 0, W: 1, H: f.Body}, of: func(r *ratios) *int { return &r.tree }, length: w})
		f.divide(geometry.Rect{X: tree + 1, Y: 0, W: w - tree - 1, H: f.Body}, s)
	}
	return f
}

// divide places the memory and the panes beside it.
func (f *division) divide(rest geometry.Rect, s situation) {
	one, open := s.only()
	switch {
	case !open:
		f.Panes[Memory] = rest
	case f.W >= threeColumns && rest.W >= 81:
		right := part(rest.W, s.ratios.side, rest.W*45/100, 40, rest.W-41)
		f.Panes[Memory] = geometry.Rect{X: rest.X, Y: 0, W: rest.W - right - 1, H: f.Body}
		side := geometry.Rect{X: rest.X + rest.W - right, Y: 0, W: right, H: f.Body}
		f.borders = append(f.borders, border{Rect: geometry.Rect{X: side.X - 1, Y: 0, W: 1, H: f.Body}, of: func(r *ratios) *int { return &r.side }, from: rest.X, length: rest.W, turned: true})
		if f.Body >= tall && s.open[History] && s.open[Agents] {
			f.stack(side, History, Agents, s.ratios.stack, side.H/2, func(r *ratios) *int { return &r.stack })
		} else {
			f.Panes[one] = side
		}
	case f.W >= wide && f.Body >= tall:
		below := rest.H / 2
		if one == Agents && s.focus == Agents { // a conversation needs the height
			below = rest.H * 2 / 3
		}
		f.stack(rest, Memory, one, s.ratios.below, below, func(r *ratios) *int { return &r.below })
	case s.focus == one, s.focus == Tree && one == History: // both are about what is under the tree's cursor
		f.Panes[one] = rest
	default:
		f.Panes[Memory] = rest
	}
}

// minRows is the least number of rows of a pane above or below another.
const minRows = 5

// stack places one pane above another, which has the given rows unless the border was moved.
func (f *division) stack(r geometry.Rect, above, under Slot, ratio, below int, of func(*ratios) *int) {
	below = part(r.H, ratio, below, minRows, r.H-minRows)
	f.Panes[above] = geometry.Rect{X: r.X, Y: r.Y, W: r.W, H: r.H - below}
	f.Panes[under] = geometry.Rect{X: r.X, Y: r.Y + r.H - below, W: r.W, H: below}
	f.borders = append(f.borders, border{Rect: geometry.Rect{X: r.X, Y: r.Y + r.H - below, W: r.W, H: 1}, of: of, across: true, from: r.Y, length: r.H, turned: true})
}

// At returns the pane at a cell.
func (f division) At(x, y int) (Slot, bool) {
	for s, r := range f.Panes {
		if r.Holds(x, y) {
			return Slot(s), true
		}
	}
	return 0, false
}

// borderAt returns the index of the border at a cell.
func (f division) borderAt(x, y int) (int, bool) {
	for i, b := range f.borders {
		if b.Holds(x, y) {
			return i, true
		}
	}
	return 0, false
}

// moved returns the ratios after the border was moved to a cell.
func (b border) moved(r ratios, x, y int) ratios {
	at := x - b.from
	if b.across {
		at = y - b.from
	}
	if b.turned {
		at = b.length - at
		if !b.across {
			at-- // the line itself
		}
	}
	*b.of(&r) = max(1, min((at*1000+b.length-1)/b.length, 999))
	return r
}

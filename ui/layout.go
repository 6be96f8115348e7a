package ui

import "github.com/memend/memend/ui/geometry"

// slot names a place for a pane.
type slot int

const (
	slotTree slot = iota
	slotMemory
	slotHistory
	slotAgent
	slots
)

var slotNames = [slots]string{"tree", "memory", "history", "agents"}

// beside reports whether a pane stands beside the memory, or in its place: it is
// there only when it was opened.
func (s slot) beside() bool { return s == slotHistory || s == slotAgent }

// frame is how the screen is divided. Panes that are not shown have empty rectangles.
type frame struct {
	w, h     int
	tooSmall bool // nothing but a notice fits
	tabs     bool // one pane is shown; its title row names the others
	body     int  // rows of the panes
	panes    [slots]geometry.Rect
	borders  []border
	status   int // row of the status line, -1 when there is none
	hints    int // row of the key hints, -1 when there is none
}

const (
	minWidth, minHeight = 20, 5
	twoPanes            = 60
	wide                = 90
	threeColumns        = 170
	tall                = 16 // rows from which two panes stand one below the other
)

// ratios are where a person put the borders, in thousandths; 0 is where they stand
// by themselves.
type ratios struct{ tree, below, side, stack int }

// border is a line between panes that can be moved.
type border struct {
	geometry.Rect
	of     func(*ratios) *int
	across bool // it lies, and is moved up and down
	from   int  // where what it divides begins
	length int  // and how long that is
	turned bool // the ratio is that of what is right of it, or below
}

// situation is what the division of a screen depends on besides its size.
type situation struct {
	focus  slot
	zoomed bool
	open   [slots]bool // the history and the agents: whether they are there
	last   slot        // of these, the one that had the focus last
	ratios ratios
}

// only is the one of the panes beside the memory that shows where there is room
// for one.
func (s situation) only() (slot, bool) {
	switch {
	case s.focus.beside() && s.open[s.focus]:
		return s.focus, true
	case s.last.beside() && s.open[s.last]:
		return s.last, true
	case s.open[slotHistory]:
		return slotHistory, true
	}
	return slotAgent, s.open[slotAgent]
}

// part is the share of a length by a ratio, or by default, clamped.
func part(length, ratio, otherwise, least, most int) int {
	if ratio > 0 {
		otherwise = length * ratio / 1000
	}
	return max(least, min(otherwise, most))
}

// layout divides a screen of w by h cells. Only this function knows the split.
func layout(w, h int, s situation) frame {
	f := frame{w: w, h: h, status: -1, hints: -1}
	if w < minWidth || h < minHeight {
		f.tooSmall = true
		return f
	}
	f.body = h - 1
	f.status = h - 1
	if h >= 8 {
		f.body--
		f.status, f.hints = h-2, h-1
	}
	if s.focus.beside() && !s.open[s.focus] {
		s.focus = slotMemory
	}
	switch {
	case s.zoomed:
		f.panes[s.focus] = geometry.Rect{X: 0, Y: 0, W: w, H: f.body}
	case w < twoPanes:
		f.tabs = true
		f.panes[s.focus] = geometry.Rect{X: 0, Y: 0, W: w, H: f.body}
	default:
		tree := part(w, s.ratios.tree, min(max(w/3, 24), 46), 16, w-36)
		f.panes[slotTree] = geometry.Rect{X: 0, Y: 0, W: tree, H: f.body}
		f.borders = append(f.borders, border{Rect: geometry.Rect{X: tree, Y: 0, W: 1, H: f.body}, of: func(r *ratios) *int { return &r.tree }, length: w})
		f.divide(geometry.Rect{X: tree + 1, Y: 0, W: w - tree - 1, H: f.body}, s)
	}
	return f
}

// divide gives the memory and what stands beside it their places.
func (f *frame) divide(rest geometry.Rect, s situation) {
	one, any := s.only()
	switch {
	case !any:
		f.panes[slotMemory] = rest
	case f.w >= threeColumns && rest.W >= 81:
		right := part(rest.W, s.ratios.side, rest.W*45/100, 40, rest.W-41)
		f.panes[slotMemory] = geometry.Rect{X: rest.X, Y: 0, W: rest.W - right - 1, H: f.body}
		side := geometry.Rect{X: rest.X + rest.W - right, Y: 0, W: right, H: f.body}
		f.borders = append(f.borders, border{Rect: geometry.Rect{X: side.X - 1, Y: 0, W: 1, H: f.body}, of: func(r *ratios) *int { return &r.side }, from: rest.X, length: rest.W, turned: true})
		if f.body >= tall && s.open[slotHistory] && s.open[slotAgent] {
			f.stack(side, slotHistory, slotAgent, s.ratios.stack, func(r *ratios) *int { return &r.stack })
		} else {
			f.panes[one] = side
		}
	case f.w >= wide && f.body >= tall:
		f.stack(rest, slotMemory, one, s.ratios.below, func(r *ratios) *int { return &r.below })
	case s.focus == slotMemory: // else what was opened takes its place
		f.panes[slotMemory] = rest
	default:
		f.panes[one] = rest
	}
}

// leastRows is how few rows a pane has below or above another.
const leastRows = 5

// stack puts one pane above another.
func (f *frame) stack(r geometry.Rect, above, under slot, ratio int, of func(*ratios) *int) {
	below := part(r.H, ratio, r.H/2, leastRows, r.H-leastRows)
	f.panes[above] = geometry.Rect{X: r.X, Y: r.Y, W: r.W, H: r.H - below}
	f.panes[under] = geometry.Rect{X: r.X, Y: r.Y + r.H - below, W: r.W, H: below}
	f.borders = append(f.borders, border{Rect: geometry.Rect{X: r.X, Y: r.Y + r.H - below, W: r.W, H: 1}, of: of, across: true, from: r.Y, length: r.H, turned: true})
}

// at is the pane shown at a cell.
func (f frame) at(x, y int) (slot, bool) {
	for s, r := range f.panes {
		if r.Holds(x, y) {
			return slot(s), true
		}
	}
	return 0, false
}

// borderAt is the border at a cell, by its place among all.
func (f frame) borderAt(x, y int) (int, bool) {
	for i, b := range f.borders {
		if b.Holds(x, y) {
			return i, true
		}
	}
	return 0, false
}

// moved are the ratios after the border was moved to a cell.
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

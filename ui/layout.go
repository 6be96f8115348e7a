package ui

// slot names a place for a pane.
type slot int

const (
	slotTree slot = iota
	slotMemory
	slotHistory
	slots
)

var slotNames = [slots]string{"tree", "memory", "history"}

// rect is a part of the screen in cells. A pane's first row is its title.
type rect struct{ x, y, w, h int }

func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// frame is how the screen is divided. Panes that are not shown have empty rectangles.
type frame struct {
	w, h     int
	tooSmall bool // nothing but a notice fits
	tabs     bool // one pane is shown; its title row names the others
	body     int  // rows of the panes
	panes    [slots]rect
	status   int // row of the status line, -1 when there is none
	hints    int // row of the key hints, -1 when there is none
}

const (
	minWidth, minHeight = 20, 5
	twoPanes            = 60
	wide                = 90
	threeColumns        = 170
)

// layout divides a screen of w by h cells. Only this function knows the split.
func layout(w, h int, history bool, focus slot, zoomed bool) frame {
	f := frame{w: w, h: h, status: -1, hints: -1}
	if w < minWidth || h < minHeight {
		f.tooSmall = true
		return f
	}
	body := h - 1
	f.status = h - 1
	if h >= 8 {
		body--
		f.status, f.hints = h-2, h-1
	}
	if !history && focus == slotHistory {
		focus = slotMemory
	}
	f.body = body
	switch {
	case zoomed:
		f.panes[focus] = rect{0, 0, w, body}
	case w < twoPanes:
		f.tabs = true
		f.panes[focus] = rect{0, 0, w, body}
	default:
		tree := min(max(w/3, 24), 46)
		rest := rect{tree + 1, 0, w - tree - 1, body}
		f.panes[slotTree] = rect{0, 0, tree, body}
		switch {
		case !history:
			f.panes[slotMemory] = rest
		case w >= threeColumns:
			right := rest.w * 45 / 100
			f.panes[slotMemory] = rect{rest.x, 0, rest.w - right - 1, body}
			f.panes[slotHistory] = rect{rest.x + rest.w - right, 0, right, body}
		case w >= wide && body >= 16:
			below := body / 2
			f.panes[slotMemory] = rect{rest.x, 0, rest.w, body - below}
			f.panes[slotHistory] = rect{rest.x, body - below, rest.w, below}
		default: // the history takes the place of the memory, or of the tree
			if focus == slotMemory {
				f.panes[slotMemory] = rest
			} else {
				f.panes[slotHistory] = rest
			}
		}
	}
	return f
}

// at is the pane shown at a cell.
func (f frame) at(x, y int) (slot, bool) {
	for s, r := range f.panes {
		if r.holds(x, y) {
			return slot(s), true
		}
	}
	return 0, false
}

package frame

// Frame is the layout of the screen and what it depends on: the size, the focused pane, and
// the positions of the borders, which are kept while the program runs.
type Frame struct {
	division
	w, h   int
	open   [Slots]bool
	focus  Slot
	before Slot // the focus before the history or the agents
	side   Slot // the one of these that had the focus last
	zoomed bool
	ratios ratios

	dragging bool // a border is being dragged
	dragged  int  // index of that border
}

// Resize lays out a screen of w by h cells with the open panes.
func (f *Frame) Resize(w, h int, open [Slots]bool) {
	f.w, f.h, f.open = w, h, open
	f.divide()
}

func (f *Frame) divide() {
	f.division = layout(f.w, f.h, situation{f.focus, f.zoomed, f.open, f.side, f.ratios})
}

// Focus returns the pane with the focus.
func (f *Frame) Focus() Slot { return f.focus }

// SetFocus moves the focus, which may change the layout.
func (f *Frame) SetFocus(s Slot) {
	if s.beside() {
		f.side = s
		if !f.focus.beside() {
			f.before = f.focus
		}
	}
	f.focus = s
}

// Before returns the pane that had the focus before the history or the agents.
func (f *Frame) Before() Slot { return f.before }

// Next returns the open pane after the focused one, or with -1 the one before it.
func (f *Frame) Next(by int) Slot {
	for s := f.focus; ; {
		s = (s + Slot(by) + Slots) % Slots
		if f.open[s] {
			return s
		}
	}
}

// Zoom toggles whether the focused pane covers the whole screen.
func (f *Frame) Zoom() { f.zoomed = !f.zoomed }

// Zoomed reports whether one pane covers the whole screen.
func (f *Frame) Zoomed() bool { return f.zoomed }

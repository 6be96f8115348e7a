package frame

// Frame is the division of the screen with what it follows from: the size, the pane that
// has the keys, and where the borders were put. Where they stand is kept while the
// program runs.
type Frame struct {
	division
	w, h   int
	open   [Slots]bool
	focus  Slot
	before Slot // had the focus before the history or the agents
	side   Slot // of these, the one that had it last
	zoomed bool
	ratios ratios

	dragging bool // the mouse moves a border,
	dragged  int  // this one of all
}

// Resize divides a screen of w by h cells among the panes that are open.
func (f *Frame) Resize(w, h int, open [Slots]bool) {
	f.w, f.h, f.open = w, h, open
	f.divide()
}

func (f *Frame) divide() {
	f.division = layout(f.w, f.h, situation{f.focus, f.zoomed, f.open, f.side, f.ratios})
}

// Focus is the pane that has the keys.
func (f *Frame) Focus() Slot { return f.focus }

// SetFocus gives a pane the keys. It may need another division of the screen.
func (f *Frame) SetFocus(s Slot) {
	if s.beside() {
		f.side = s
		if !f.focus.beside() {
			f.before = f.focus
		}
	}
	f.focus = s
}

// Before is the pane that had the keys before the history or the agents.
func (f *Frame) Before() Slot { return f.before }

// Next is the open pane after the one with the focus, or with -1 the one before it.
func (f *Frame) Next(by int) Slot {
	for s := f.focus; ; {
		s = (s + Slot(by) + Slots) % Slots
		if f.open[s] {
			return s
		}
	}
}

// Zoom gives the pane with the focus the whole screen, or takes it back.
func (f *Frame) Zoom() { f.zoomed = !f.zoomed }

// Zoomed reports whether one pane has the whole screen.
func (f *Frame) Zoomed() bool { return f.zoomed }

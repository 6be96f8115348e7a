package ui

import tea "charm.land/bubbletea/v2"

// Borders between panes are moved by the mouse and by keys; where they stand is
// kept while the program runs.

// grab takes hold of the border at a cell.
func (a *App) grab(x, y int) bool {
	i, ok := a.frame.borderAt(x, y)
	a.dragging, a.dragged = ok, i
	return ok
}

// drag moves the border that is held.
func (a *App) drag(x, y int) tea.Cmd {
	if a.dragged >= len(a.frame.borders) { // the screen was divided anew meanwhile
		a.dragging = false
		return nil
	}
	return a.setRatios(a.frame.borders[a.dragged].moved(a.ratios, x, y))
}

func (a *App) setRatios(r ratios) tea.Cmd {
	a.ratios = r
	a.resize()
	return a.memory.Fetch()
}

// grow makes the pane with the focus so many columns wider and rows taller: it
// moves the nearest border that can be moved in that direction.
func (a *App) grow(cols, rows int) tea.Cmd {
	pane := a.frame.panes[a.focus]
	for i := len(a.frame.borders) - 1; i >= 0; i-- {
		b := a.frame.borders[i]
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
		return a.setRatios(b.moved(a.ratios, x, y))
	}
	return nil
}

// whyNoBorder says why a pane can't be made wider, or taller.
func (a *App) whyNoBorder() string {
	if len(a.frame.borders) == 0 || len(a.screens) > 0 {
		return "one pane takes all the room"
	}
	return ""
}

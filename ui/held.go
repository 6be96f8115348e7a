package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// A mouse that is held still sends nothing. While a drag is held beyond the edge of a
// text, where it is is repeated, so that the text scrolls on; at no other time does
// anything tick.

// heldStep is how long a row of such scrolling takes.
const heldStep = 40 * time.Millisecond

type held struct {
	on bool
	id int
	at tea.MouseMsg
}

// heldMsg says that it is time for the next row.
type heldMsg struct{ id int }

// hold begins to repeat a motion of the mouse, or ends it.
func (a *App) hold(msg tea.MouseMsg) tea.Cmd {
	_, wheel := msg.(tea.MouseWheelMsg)
	_, motion := msg.(tea.MouseMotionMsg)
	switch h := &a.held; {
	case wheel:
		return nil
	case !motion || a.overlay != nil || a.prompt != nil || a.dragging || !a.beyond():
		h.on = false
		return nil
	default:
		h.at = msg
		if h.on {
			return nil
		}
		h.on = true
		h.id++
		return a.later(heldStep, heldMsg{h.id})
	}
}

// beyond reports whether the pane in front scrolls by a drag.
func (a *App) beyond() bool {
	d, ok := a.front().(screen.Dragger)
	return ok && d.Beyond()
}

func (a *App) stillHeld(msg heldMsg) tea.Cmd {
	h := &a.held
	if !h.on || msg.id != h.id {
		return nil
	}
	h.on = a.overlay == nil && a.prompt == nil && a.beyond()
	if !h.on {
		return nil
	}
	return tea.Batch(a.point(h.at), a.later(heldStep, heldMsg{h.id}))
}

// toggleMouse leaves the mouse to the terminal, which selects text with it, or takes
// it back.
func (a *App) toggleMouse() tea.Cmd {
	a.cfg.Mouse = !a.cfg.Mouse
	if a.cfg.Mouse {
		return a.say("the mouse is memend's", false)
	}
	return a.say("the mouse is the terminal's: drag selects text there", false)
}

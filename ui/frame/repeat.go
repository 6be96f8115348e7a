package frame

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// Repeat repeats where the mouse is while a drag is held beyond the edge of a text, so
// that the text scrolls on: a mouse that is held still sends nothing. At no other time
// does anything tick.
type Repeat struct {
	on bool
	id int
	at tea.MouseMsg
}

// repeatStep is how long a row of such scrolling takes.
const repeatStep = 40 * time.Millisecond

// Stop ends it.
func (r *Repeat) Stop() { r.on = false }

// Hold follows the mouse. beyond reports whether the pane in front scrolls by a drag,
// again takes the repeated motion, and later sends a message after a time.
func (r *Repeat) Hold(msg tea.MouseMsg, beyond func() bool, again func(tea.MouseMsg) tea.Cmd, later func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	_, wheel := msg.(tea.MouseWheelMsg)
	_, motion := msg.(tea.MouseMotionMsg)
	switch {
	case wheel:
		return nil
	case !motion || !beyond():
		r.on = false
		return nil
	}
	r.at = msg
	if r.on {
		return nil
	}
	r.on = true
	r.id++
	id := r.id
	var step func() tea.Cmd
	step = func() tea.Cmd {
		if !r.on || id != r.id {
			return nil
		}
		if r.on = beyond(); !r.on {
			return nil
		}
		return tea.Batch(again(r.at), later(repeatStep, screen.Then(step)))
	}
	return later(repeatStep, screen.Then(step))
}

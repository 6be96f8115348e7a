package frame

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// Repeat repeats the position of the mouse while a drag is held beyond the edge of a text,
// so that the text keeps scrolling: a mouse that does not move sends nothing. Otherwise it
// schedules nothing.
type Repeat struct {
	on bool
	id int
	at tea.MouseMsg
}

// repeatStep is the time for scrolling one row.
const repeatStep = 40 * time.Millisecond

// Stop ends the repetition.
func (r *Repeat) Stop() { r.on = false }

// Hold handles a mouse event. beyond reports whether the front pane is scrolled by a drag,
// again handles the repeated motion, and later sends a message after a time.
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

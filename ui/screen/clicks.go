package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Clicks counts clicks on one place: the second one within half a second of the first is a double click,
// the third one a triple click. Two places are the same if they are equal.
type Clicks[P comparable] struct {
	N int // 1 to 3; 0 after the time is over

	at    P
	round int // of the clock that runs
}

// doubleClick is the time between the clicks of a double click at most.
const doubleClick = 500 * time.Millisecond

// Click counts a click. The command ends the count when the time is over.
func (c *Clicks[P]) Click(env Env, at P) tea.Cmd {
	if c.N > 0 && c.at == at {
		c.N = c.N%3 + 1
	} else {
		c.N = 1
	}
	c.at = at
	c.round++
	round := c.round
	return env.Later(doubleClick, Then(func() tea.Cmd {
		if c.round == round {
			c.N = 0
		}
		return nil
	}))
}

// Forget begins the count again.
func (c *Clicks[P]) Forget() { c.N, c.round = 0, c.round+1 }

// Within returns a mouse event relative to the corner of a pane.
func Within(msg tea.MouseMsg, x, y int) tea.MouseMsg {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseReleaseMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseWheelMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseMotionMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	}
	return msg
}

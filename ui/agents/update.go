package agents

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/list"
)

// Update handles mouse events, with cells relative to the pane, and, while a filter or a
// prompt is typed, keys and pasted text.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	defer p.fit()
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if v := p.talk(); v != nil && p.part == inTalk {
			return v.Update(msg)
		}
		if p.typed.On() {
			return p.typed.Update(msg)
		}
	case tea.MouseClickMsg:
		p.follows = false
		return p.click(msg)
	case tea.MouseMotionMsg, tea.MouseReleaseMsg:
		if p.shows {
			return p.diff.Update(msg)
		}
	case tea.MouseWheelMsg:
		p.follows = false
		return p.wheel(msg)
	}
	return nil
}

// click selects a row; a second click opens it.
func (p *Pane) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	a := p.arrange()
	switch {
	case a.sessions.Holds(msg.X, msg.Y):
		p.setPart(inSessions)
		return p.choose(p.sessions.Top + msg.Y - a.sessions.Y)
	case p.shows && a.head.Holds(msg.X, msg.Y):
		p.closeDiff()
	case p.shows && a.stream.Holds(msg.X, msg.Y):
		msg.X, msg.Y = msg.X-a.stream.X, msg.Y-a.stream.Y
		return p.diff.Update(msg)
	case p.talk() != nil && a.stream.Holds(msg.X, msg.Y):
		p.setPart(inTalk)
		msg.X, msg.Y = msg.X-a.stream.X, msg.Y-a.stream.Y
		return p.talk().Update(msg)
	case p.talk() != nil && a.head.Holds(msg.X, msg.Y):
		p.setPart(inTalk)
	case a.head.Holds(msg.X, msg.Y): // the notice of new activity
		p.setPart(inStream)
		return p.newest()
	case a.stream.Holds(msg.X, msg.Y):
		row := p.stream.Top + msg.Y - a.stream.Y
		if row >= p.stream.len() {
			return nil
		}
		again := p.part == inStream && row == p.stream.Cur
		p.setPart(inStream)
		cmd := p.moveTo(row)
		if again && p.openDisabled() == "" {
			return tea.Batch(cmd, p.enter())
		}
		return cmd
	}
	return nil
}

func (p *Pane) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	a := p.arrange()
	switch {
	case a.sessions.Holds(msg.X, msg.Y):
		p.sessions.Scroll(list.Wheel(msg), p.sessions.rows(), a.sessions.H)
		return p.moreSessions()
	case p.shows:
		return p.diff.Update(msg)
	case p.talk() != nil:
		return p.talk().Update(msg)
	}
	p.stream.scroll(list.Wheel(msg), a.stream.H)
	return p.moveTo(p.stream.Cur)
}

package agents

import (
	tea "charm.land/bubbletea/v2"
)

// Update handles mouse events, with cells relative to the pane, and, while a filter or a
// prompt is typed, keys and pasted text.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	defer p.fit()
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if v := p.talk(); v != nil && p.InDetail {
			return v.Update(msg)
		}
		if p.typed.On() {
			return p.typed.Update(msg)
		}
	case tea.MouseClickMsg:
		p.follows = false
		if at := p.DetailBox(); msg.Button == tea.MouseLeft && msg.Y == at.Y-1 && msg.X >= at.X {
			return p.clickTitle(msg)
		}
	case tea.MouseWheelMsg:
		p.follows = false
		return tea.Batch(p.Split.Update(msg), p.sessions.more())
	}
	return p.Split.Update(msg)
}

// clickTitle leaves a diff, or moves to what is new.
func (p *Pane) clickTitle(msg tea.MouseClickMsg) tea.Cmd {
	switch {
	case p.shows:
		p.closeDiff()
		return nil
	case p.stream.unseen > 0 && p.talk() == nil:
		p.focus(true)
		return p.newest()
	}
	return p.Split.Update(msg)
}

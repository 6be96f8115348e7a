package agents

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/versions"
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
	case p.stream.inDiff:
		p.closeDiff()
		return nil
	case p.stream.unseen > 0 && p.talk() == nil:
		p.focus(true)
		return p.newest()
	}
	return p.Split.Update(msg)
}

// Event handles an event of the store.
func (p *Pane) Event(ev versions.Event) tea.Cmd {
	switch {
	case ev.Reload, len(ev.Attributed) > 0, slices.ContainsFunc(ev.Changes, p.stream.undoesMore):
		return tea.Batch(p.stream.restart(), p.sessions.refresh())
	case len(ev.Changes) == 0 && !ev.Reads:
		return nil
	}
	for _, c := range ev.Changes {
		if c.Undoes != 0 {
			p.stream.markUndone(c)
		}
	}
	return tea.Batch(p.stream.refresh(), p.sessions.refresh())
}

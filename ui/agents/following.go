package agents

import (
	tea "charm.land/bubbletea/v2"
)

// Follow sets whether the pane shows the conversation with the agent that works. Following ends
// when the user selects something, reads on in a conversation or writes a prompt: what they look
// at must stay.
func (p *Pane) Follow(on bool) tea.Cmd {
	p.follows = on
	if !on {
		return nil
	}
	return p.talks.refresh()
}

// Follows reports whether the pane shows the conversation with the agent that works.
func (p *Pane) Follows() bool { return p.follows }

// attention is what the user looks at.
type attention struct {
	session int
	beside  bool
	row     int
	typing  bool
}

func (p *Pane) attention() attention {
	return attention{p.Cur, p.InDetail, p.stream.Cur, p.TakesText()}
}

// followTalk opens the conversation that began last among those with agents that work here:
// right after the pane was opened, since that is the usual reason to open it, and while
// following.
func (p *Pane) followTalk(list []conversation) tea.Cmd {
	first := !p.talks.listed && p.sessions.Cur == 0 && p.stream.Cur == 0
	p.talks.listed = true
	if !first && !p.follows || p.typed.On() {
		return nil
	}
	to, ok := p.talks.toFollow(list, p.chosen().ID)
	if !ok {
		return nil
	}
	p.talks.showActivity = false
	cmd := p.choose(1 + p.sessions.index(to.info.Session))
	p.focus(true)
	return cmd
}

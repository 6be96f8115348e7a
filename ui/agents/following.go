package agents

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/versions"
)

// Follow sets whether the pane shows the conversation with the agent that works. Following ends
// when the user selects something, reads on in a conversation or writes a prompt: what they look
// at must stay.
func (p *Pane) Follow(on bool) tea.Cmd {
	p.follows = on
	if !on {
		return nil
	}
	return p.listConversations()
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
	to := -1
	for i, c := range list {
		if c.here && c.state.Working() && (to < 0 || c.state.Began.After(list[to].state.Began)) {
			to = i
		}
	}
	if to < 0 || !p.takesOver(list[to]) {
		return nil
	}
	row := 1 + slices.IndexFunc(p.sessions.list, func(x versions.Session) bool { return x.ID == list[to].info.Session })
	p.talks.showActivity = false
	cmd := p.choose(row)
	p.focus(true)
	return cmd
}

// takesOver reports whether a conversation with an agent at work replaces the one that is
// shown: one that began later does, and any if the agent of the one shown is not at work.
func (p *Pane) takesOver(c conversation) bool {
	x, ok := p.chosen()
	if !ok {
		return true
	}
	shown := p.talks.known[x.ID]
	if c.info.Session == x.ID {
		return false
	}
	return !shown.here || !shown.state.Working() || c.state.Began.After(shown.state.Began)
}

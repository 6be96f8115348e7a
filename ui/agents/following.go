package agents

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/versions"
)

// Follow says whether the conversation of a session that begins here is gone to, as
// soon as it begins. It ends when the person does something in the pane: who has
// chosen is not moved.
func (p *Pane) Follow(on bool) tea.Cmd {
	p.follows = on
	if !on {
		return nil
	}
	return p.listConversations()
}

// Follows reports whether sessions that begin are gone to.
func (p *Pane) Follows() bool { return p.follows }

// stay ends following, as somebody has done something here.
func (p *Pane) stay(r keys.Result) {
	if r == keys.Done {
		p.follows = false
	}
}

// followTalk goes to a conversation with an agent that is at work here: to any one
// when the pane was opened and nobody has chosen anything yet, which is what one
// opens it for, and while it follows to the one that began last. An older one that
// goes on is not gone back to.
func (p *Pane) followTalk(list []conversation) tea.Cmd {
	first := !p.talks.looked && p.sessions.Cur == 0 && p.stream.Cur == 0
	p.talks.looked = true
	if !first && !p.follows || p.typed.On() {
		return nil
	}
	to := -1
	for i, c := range list {
		if c.here && c.state.Working() && (to < 0 || c.state.Began.After(list[to].state.Began)) {
			to = i
		}
	}
	if to < 0 || !p.later(list[to]) {
		return nil
	}
	row := 1 + slices.IndexFunc(p.sessions.list, func(x versions.Session) bool { return x.ID == list[to].info.Session })
	p.talks.did = false
	cmd := p.choose(row)
	p.to(inTalk)
	return cmd
}

// later reports whether a conversation began after the one that is shown.
func (p *Pane) later(c conversation) bool {
	x, ok := p.sessions.at(p.sessions.Cur)
	if !ok {
		return true
	}
	shown, ok := p.talks.known[x.ID]
	if !ok {
		return c.state.Began.After(x.Started)
	}
	return c.info.Session != x.ID && c.state.Began.After(shown.state.Began)
}

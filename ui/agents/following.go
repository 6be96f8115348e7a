package agents

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/versions"
)

// Follow sets whether the pane opens the conversation of a session as soon as it starts here.
// Following ends when the user does something in the pane, because the selection must not move
// after the user has made one.
func (p *Pane) Follow(on bool) tea.Cmd {
	p.follows = on
	if !on {
		return nil
	}
	return p.listConversations()
}

// Follows reports whether the pane opens sessions as they start.
func (p *Pane) Follows() bool { return p.follows }

// stopFollowing ends following after the user did something in the pane.
func (p *Pane) stopFollowing(r keys.Result) {
	if r == keys.Done {
		p.follows = false
	}
}

// followTalk opens a conversation with an agent that works here. Right after the pane was
// opened and before the user selected anything, that can be any conversation, since it is the
// usual reason to open the pane. While following, it is the one that began last; the pane does
// not return to an older one that continues.
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
	if to < 0 || !p.later(list[to]) {
		return nil
	}
	row := 1 + slices.IndexFunc(p.sessions.list, func(x versions.Session) bool { return x.ID == list[to].info.Session })
	p.talks.showActivity = false
	cmd := p.choose(row)
	p.setPart(inTalk)
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

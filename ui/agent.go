package ui

import (
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

// The agents that run in this program, as far as the root is concerned.

// host returns the host of the agents pane.
func (a *App) host() agents.Host {
	h := agents.Host{Manager: a.cfg.Agents, Here: a.info.ID, Access: versions.ReadWrite, Unsent: a.unsent, Store: a.others}
	if a.cfg.Talks != nil {
		h.Kept = a.cfg.Talks
	}
	if !a.info.Archived.IsZero() {
		h.Access = versions.ReadOnly
	}
	if a.cfg.ReadOnly { // an agent writes
		h.Manager = nil
	}
	return h
}

var errOtherStore = errors.New("it is in another store")

// otherStores returns a function that opens the stores changed by agents' calls, each of them
// once.
func otherStores(here Store, all Stores) func(context.Context, versions.StoreID) (talk.Store, error) {
	var mu sync.Mutex
	opened := map[versions.StoreID]Store{here.Info().ID: here, "": here}
	return func(ctx context.Context, id versions.StoreID) (talk.Store, error) {
		mu.Lock()
		defer mu.Unlock()
		if s := opened[id]; s != nil {
			return s, nil
		}
		if all == nil {
			return nil, errOtherStore
		}
		s, _, err := all.Open(context.WithoutCancel(ctx), id)
		if err != nil {
			return nil, err
		}
		opened[id] = s
		return s, nil
	}
}

// leavingAgents asks for confirmation before it stops agents that are at work, except in a
// demo, which keeps nothing.
func (a *App) leavingAgents(then func() tea.Cmd) tea.Cmd {
	if a.live.AtWork() == 0 || a.cfg.Banner != "" {
		return then()
	}
	is := "is"
	if a.live.AtWork() > 1 {
		is = "are"
	}
	a.show(&dialog.Choice{Name: "agents at work", Cur: 1,
		Body: draw.Plural(a.live.AtWork(), "agent", "agents") + " " + is + " at work. Quitting stops that; what is finished is kept, and each conversation can be resumed.",
		Options: []screen.Option{
			{Key: "y", Label: "stop and quit", Then: then},
			{Key: "n", Label: "let them work"},
		}})
	return nil
}

// toggleAgents opens the agents pane, moves the focus to it, or closes it if it has the focus.
func (a *App) toggleAgents() tea.Cmd {
	switch {
	case a.agents == nil:
		a.agents = agents.New(a.env(), a.cfg.Store)
		a.agents.Connect(a.host())
		a.agents.SetNow(a.now)
		a.agents.SetWrap(!a.cfg.NoWrap)
		a.setFocus(frame.Agents)
		return tea.Batch(a.agents.Start(), a.agents.Follow(a.live.Follows()))
	case a.frame.Focus() == frame.Agents:
		a.agents.Close()
		a.agents = nil
		a.setFocus(a.frame.Before())
	default:
		a.setFocus(frame.Agents)
	}
	return nil
}

// toggleFollow turns follow mode on or off: the memory pane opens what others read or write,
// and the agents pane shows the conversation with the agent that works.
func (a *App) toggleFollow() tea.Cmd {
	on := !a.live.Follows()
	var cmds []tea.Cmd
	if a.agents != nil {
		cmds = append(cmds, a.agents.Follow(on))
	}
	if !on {
		a.live.SetFollowing(false)
		return tea.Batch(append(cmds, a.say("follow: off", false))...)
	}
	said := "follow: on · what others read or write opens, until you open a memory"
	if a.frame.Panes[frame.Memory].Empty() { // it opens behind the agents
		said = "follow: on · the tree goes to what others read or write, until you open a memory"
	}
	return tea.Batch(append(cmds, a.say(said, false), a.live.Follow())...)
}

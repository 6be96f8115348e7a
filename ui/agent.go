package ui

import (
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

// The agents that run in this program, as far as the root has to do with them.

// Conversations are those with agents that the home keeps. *versions.Conversations
// satisfies it.
type Conversations interface {
	agents.Conversations
	// Watch tells whose conversation may have grown, until ctx ends.
	Watch(ctx context.Context) <-chan versions.SessionID
}

// host is what the pane of the agents needs.
func (a *App) host() agents.Host {
	h := agents.Host{Crew: a.cfg.Agents, Here: a.info.ID, Unsent: a.unsent, Store: otherStores(a.cfg.Store, a.cfg.Stores)}
	if a.cfg.Talks != nil {
		h.Kept = a.cfg.Talks
	}
	if a.cfg.ReadOnly { // an agent writes
		h.Crew = nil
	}
	if a.cfg.Stores != nil {
		h.Stores = a.cfg.Stores.Stores
	} else {
		info := a.info
		h.Stores = func(context.Context) ([]versions.StoreInfo, error) { return []versions.StoreInfo{info}, nil }
	}
	return h
}

var errOtherStore = errors.New("it is in another store")

// otherStores opens the stores that calls of agents changed, each once.
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

type (
	talksWatchedMsg struct {
		grew   <-chan versions.SessionID
		atWork int
	}
	// talkGrewMsg says whose conversation may have grown, and how many agents are at
	// work here.
	talkGrewMsg struct {
		grew    <-chan versions.SessionID
		session versions.SessionID
		atWork  int
		closed  bool
	}
)

// watchTalks begins to watch what is said with agents, here and in other programs.
func (a *App) watchTalks() tea.Cmd {
	if a.cfg.Talks == nil {
		return nil
	}
	ctx, kept, crew := a.ctx, a.cfg.Talks, a.cfg.Agents
	return func() tea.Msg {
		return talksWatchedMsg{kept.Watch(ctx), working(crew)}
	}
}

func (a *App) talksWatched(msg talksWatchedMsg) tea.Cmd {
	a.atWork = msg.atWork
	return a.awaitTalk(msg.grew)
}

// awaitTalk waits until a conversation grows; each time arms it again.
func (a *App) awaitTalk(grew <-chan versions.SessionID) tea.Cmd {
	crew := a.cfg.Agents
	return func() tea.Msg {
		id, ok := <-grew
		return talkGrewMsg{grew, id, working(crew), !ok}
	}
}

// working is how many agents are at work here.
func working(crew agents.Crew) int {
	n := 0
	if crew == nil {
		return 0
	}
	for _, s := range crew.Sessions() {
		if state := s.State(); state.Working() {
			n++
		}
	}
	return n
}

func (a *App) talkGrew(msg talkGrewMsg) tea.Cmd {
	if msg.closed {
		return nil
	}
	a.atWork = msg.atWork
	cmd := a.awaitTalk(msg.grew)
	if a.agents != nil {
		cmd = tea.Batch(cmd, a.agents.Grown(msg.session))
	}
	return cmd
}

// leavingAgents asks before agents that are at work are stopped; not where all is
// only a show, of which nothing stays.
func (a *App) leavingAgents(then func() tea.Cmd) tea.Cmd {
	if a.atWork == 0 || a.cfg.Banner != "" {
		return then()
	}
	is := "is"
	if a.atWork > 1 {
		is = "are"
	}
	a.show(&dialog.Choice{Name: "agents at work", Cur: 1,
		Body: draw.Plural(a.atWork, "agent", "agents") + " " + is + " at work. Quitting stops that; what is finished is kept, and each conversation can be resumed.",
		Options: []screen.Option{
			{Key: "y", Label: "stop and quit", Then: then},
			{Key: "n", Label: "let them work"},
		}})
	return nil
}

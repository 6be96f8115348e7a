package live

import (
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// PromptsOf returns a function that reads the first prompt of a session from its conversation.
// It is nil if conversations are not recorded.
func PromptsOf(talks Conversations) func(versions.SessionID) string {
	if talks == nil {
		return nil
	}
	return func(id versions.SessionID) string {
		objects, _, err := talks.Read(id, 0)
		if err != nil { // sessions of other programs have no conversation here
			return ""
		}
		for _, o := range objects {
			var e agent.Event
			if json.Unmarshal(o, &e) == nil && e.Kind == agent.Prompted {
				return e.Text
			}
		}
		return ""
	}
}

// watchTalks begins to watch conversations with agents, here and in other programs.
func (r *Room) watchTalks() tea.Cmd {
	if r.cfg.Talks == nil {
		return nil
	}
	ctx, kept, manager := r.env.Ctx, r.cfg.Talks, r.cfg.Manager
	return func() tea.Msg {
		grew, n := kept.Watch(ctx), working(manager)
		return screen.Then(func() tea.Cmd {
			r.atWork = n
			return r.awaitTalk(grew)
		})
	}
}

// awaitTalk waits until a conversation grows; each notification starts it again.
func (r *Room) awaitTalk(grew <-chan versions.SessionID) tea.Cmd {
	manager := r.cfg.Manager
	return func() tea.Msg {
		id, ok := <-grew
		if !ok {
			return nil
		}
		n := working(manager)
		return screen.Then(func() tea.Cmd {
			r.atWork = n
			r.env.Ask(Grown{id})
			return r.awaitTalk(grew)
		})
	}
}

// working returns the number of running agents.
func working(manager agents.Manager) int {
	n := 0
	if manager == nil {
		return 0
	}
	for _, s := range manager.Sessions() {
		if state := s.State(); state.Working() {
			n++
		}
	}
	return n
}

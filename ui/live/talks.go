package live

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// watchTalks begins to watch conversations with agents, here and in other programs.
func (r *Room) watchTalks() tea.Cmd {
	if r.cfg.Talks == nil {
		return nil
	}
	ctx, kept, crew := r.env.Ctx, r.cfg.Talks, r.cfg.Crew
	return func() tea.Msg {
		grew, n := kept.Watch(ctx), working(crew)
		return screen.Then(func() tea.Cmd {
			r.atWork = n
			return r.awaitTalk(grew)
		})
	}
}

// awaitTalk waits until a conversation grows; each notification starts it again.
func (r *Room) awaitTalk(grew <-chan versions.SessionID) tea.Cmd {
	crew := r.cfg.Crew
	return func() tea.Msg {
		id, ok := <-grew
		if !ok {
			return nil
		}
		n := working(crew)
		return screen.Then(func() tea.Cmd {
			r.atWork = n
			r.env.Ask(Grown{id})
			return r.awaitTalk(grew)
		})
	}
}

// working returns the number of running agents.
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

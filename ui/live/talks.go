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
			r.env.Do(screen.Grown{Session: id})
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

package agents

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

// ask starts an agent on the store that is open, with the settings of config.toml. It waits for
// its first prompt.
func (p *Pane) ask() tea.Cmd {
	manager, start := p.host.Manager, agent.Start{Stores: []versions.Attachment{{Store: p.host.Here, Access: p.host.Access}}}
	return p.talks.begin.Begin(p.env.Ctx, func(ctx context.Context) (talk.Session, error) { return manager.Start(ctx, start) }, p.began)
}

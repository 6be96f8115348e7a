package agents

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/setup"
	"github.com/memend/memend/ui/talk"
)

// ask shows the form that starts an agent.
func (p *Pane) ask() tea.Cmd {
	form := setup.New(p.env, setup.Config{
		Settings: p.host.Manager.Settings(), Models: p.host.Manager.Models,
		Stores: p.host.Stores, Here: p.host.Here, Begin: p.beginWith,
	})
	return p.env.Ask(screen.Show{Pane: form})
}

func (p *Pane) beginWith(start agent.Start) tea.Cmd {
	manager := p.host.Manager
	return p.talks.begin.Begin(p.env.Ctx, func(ctx context.Context) (talk.Session, error) { return manager.Start(ctx, start) }, p.began)
}

// settings shows the form that changes the settings of the selected session.
func (p *Pane) settings() tea.Cmd {
	v := p.chosenTalk()
	form := setup.New(p.env, setup.Config{
		Settings: v.State().Settings, Models: p.host.Manager.Models, Session: v.Session(),
	})
	return p.env.Ask(screen.Show{Pane: form})
}

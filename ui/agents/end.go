package agents

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

func (p *Pane) endDisabled() string {
	v := p.talks.view(p.chosen().ID)
	switch {
	case v == nil || v.Session() == nil:
		return "choose a session of an agent that runs here"
	case v.Over():
		return "it has ended"
	}
	return ""
}

// end ends a session. It asks for confirmation if that stops a running agent.
func (p *Pane) end() tea.Cmd {
	v := p.talks.view(p.chosen().ID)
	session := v.Session()
	end := func() tea.Cmd { // waits until the conversation is written
		return p.env.Do(screen.Work{Doing: "end the session", Do: func(context.Context) (tea.Msg, error) {
			err := session.Close()
			return screen.Then(func() tea.Cmd { return p.ended(err) }), nil
		}})
	}
	s := v.State()
	if !s.Working() && len(s.Queue) == 0 {
		return end()
	}
	return p.env.Do(screen.Choose{
		Title: "end the session",
		Text:  "The agent is running. Its changes and the conversation are kept, its current step is lost; the conversation can be resumed.",
		Options: []screen.Option{
			{Key: "y", Label: "end it", Then: end},
			{Key: "n", Label: "let it work"},
		},
	})
}

// ended shows that a session has ended and how to continue it.
func (p *Pane) ended(err error) tea.Cmd {
	notice := screen.Notice{Text: "the session ended"}
	if err != nil {
		notice = screen.Notice{Text: "the session ended, and not all of it is kept: " + err.Error(), Bad: true}
	}
	for _, e := range p.about.All() {
		if e.ID == "agent.prompt" && e.Hint() != "" && err == nil {
			notice.Text += " · " + e.Hint() + " resumes it"
		}
	}
	return tea.Batch(p.env.Do(notice), p.talks.refresh())
}

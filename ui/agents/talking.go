package agents

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// Connect sets the host. It must be called before Start.
func (p *Pane) Connect(h Host) {
	if h.Unsent == nil {
		h.Unsent = map[versions.SessionID]string{}
	}
	p.talks.Host = h
}

// Close stops watching the conversations.
func (p *Pane) Close() {
	for _, v := range slices.Clone(p.talks.views) {
		p.talks.drop(v)
	}
}

// talk returns the conversation that is shown, or nil.
func (p *Pane) talk() *talk.View {
	if p.talks.showActivity || p.stream.inDiff || p.typed.On() {
		return nil
	}
	return p.talks.view(p.chosen().ID)
}

// openTalk opens the conversation of the selected session, if it has one. It opens the
// conversation again if it now runs in another process, or no longer runs.
func (p *Pane) openTalk() tea.Cmd {
	id := p.chosen().ID
	c, ok := p.talks.known[id]
	if !ok {
		return nil
	}
	elsewhere := !c.here && c.info.Running && c.state.Phase != agent.PhaseEnded // one that ended here may still be written
	if v := p.talks.view(id); v != nil {
		runs := v.Session() != nil
		if runs && (c.here || v.Over() && !elsewhere) || !runs && !c.here && v.Elsewhere() == elsewhere {
			p.talks.views = append(slices.DeleteFunc(p.talks.views, func(o *talk.View) bool { return o == v }), v)
			p.fit()
			return nil
		}
		p.talks.drop(v)
	}
	host := p.talks.Host
	cfg := talk.Config{ID: id, Elsewhere: elsewhere, Store: host.Store, Here: host.Here, ResumeDisabled: p.talks.whyNoAgent}
	cfg.Resume = func() tea.Cmd {
		return p.begin(func(ctx context.Context) (talk.Session, error) { return host.Manager.Resume(ctx, id) })
	}
	if host.Manager == nil {
		cfg.ResumeDisabled = func() string { return "it does not run any more, and agents are switched off here" }
	}
	if c.here {
		cfg.Session = host.Manager.Session(id)
	}
	if host.Kept != nil {
		cfg.Recorded = host.Kept
	} else if cfg.Session == nil && elsewhere {
		return nil
	}
	v := talk.New(p.env, cfg)
	v.SetNow(p.clock())
	p.talks.add(v)
	p.fit()
	return v.Start()
}

// ask starts an agent on the store that is open, with the settings of config.toml. It waits for
// its first prompt.
func (p *Pane) ask() tea.Cmd {
	manager, start := p.talks.Manager, agent.Start{Stores: []versions.Attachment{{Store: p.talks.Here, Access: p.talks.Access}}}
	return p.begin(func(ctx context.Context) (talk.Session, error) { return manager.Start(ctx, start) })
}

// begin starts or resumes a session, one at a time: the answer to a second request would hide the
// session that the first one started.
func (p *Pane) begin(session func(context.Context) (talk.Session, error)) tea.Cmd {
	if p.talks.begin.Waiting() {
		return nil
	}
	return p.talks.begin.Begin(p.env.Ctx, session, p.began)
}

// began shows a session that was started or resumed here.
func (p *Pane) began(session talk.Session, err error) tea.Cmd {
	if err != nil {
		return p.env.Do(screen.Notice{Text: "the agent: " + err.Error() + hint(err), Bad: true})
	}
	id, state := session.ID(), session.State()
	c := conversation{info: conversations.Info{Session: id, Running: true, Written: p.clock()}, state: state, here: true}
	if p.talks.known == nil {
		p.talks.known = map[versions.SessionID]conversation{}
	}
	p.talks.known[id] = c
	p.sessions.add([]versions.Session{c.row()})
	if v := p.talks.view(id); v != nil {
		p.talks.drop(v)
	}
	p.talks.showActivity, p.follows = false, false
	cmd := tea.Batch(p.choose(1+p.sessions.index(id)), p.talks.refresh(), p.env.Do(screen.Follow{}))
	if p.talks.view(id) == nil { // its row was selected already
		cmd = tea.Batch(cmd, p.openTalk())
	}
	p.focus(true)
	if v := p.talk(); v != nil {
		cmd = tea.Batch(cmd, v.Write())
	}
	return cmd
}

// took shows the sessions with conversations, and the conversation that is chosen.
func (p *Pane) took(list []conversation) tea.Cmd {
	var missing []versions.Session
	for _, c := range list {
		missing = append(missing, c.row())
	}
	p.sessions.add(missing)
	p.fit()
	return tea.Batch(p.openTalk(), p.followTalk(list))
}

// Grown handles that a conversation may have grown, begun or ended; an empty id means any of
// them.
func (p *Pane) Grown(id versions.SessionID) tea.Cmd {
	cmds := []tea.Cmd{p.talks.refresh()}
	for _, v := range p.talks.views {
		if id == "" || v.ID() == id {
			cmds = append(cmds, v.Grown())
		}
	}
	return tea.Batch(cmds...)
}

// talkKeys returns the keys about agents, which work in the whole pane.
func talkKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("agent", bindings, []keys.Action[*Pane]{
		keys.Act("new", "ask an agent", (*Pane).ask, func(p *Pane) string { return p.talks.whyNoAgent() }, "a").As("new agent").Writing(),
		keys.Act("agent.prompt", "", (*Pane).prompt, (*Pane).promptDisabled).As("prompt"),
		keys.Act("agent.stop", "", func(p *Pane) tea.Cmd { return p.talks.view(p.chosen().ID).Stop() }, (*Pane).stopDisabled).As("stop"),
		keys.Act("said", "conversation or activity", (*Pane).toggleTalk, (*Pane).talkDisabled, "s").As("what it did").While(func(p *Pane) bool { return p.talks.showActivity }, "what it said"),
		keys.Act("end", "end the session", (*Pane).end, (*Pane).endDisabled, "Q").As("end"),
	})
}

// besideKeys returns the pane's keys that work in a conversation, in addition to its own.
func besideKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("agent-conversation", bindings, []keys.Action[*Pane]{
		keys.Act("change.undo-session", "", (*Pane).undoSession, (*Pane).undoDisabled).As("undo session").Writing(),
		keys.Act("change.reviewed", "keep", (*Pane).markReviewed, (*Pane).reviewDisabled).As("keep"),
		keys.Act("pane.back", "to the sessions", func(p *Pane) tea.Cmd { p.focus(false); return nil }, nil),
		{ID: "list.out", Name: "to the sessions", Hide: true, Do: func(p *Pane, _ int) tea.Cmd { p.focus(false); return nil }},
	})
}

func (p *Pane) talkDisabled() string {
	id := p.chosen().ID
	if id == "" {
		return "choose a session"
	}
	if _, ok := p.talks.known[id]; !ok {
		return "what it said was not kept: it runs elsewhere"
	}
	return ""
}

func (p *Pane) toggleTalk() tea.Cmd {
	p.talks.showActivity = !p.talks.showActivity
	p.stream.inDiff = false
	p.fit()
	return p.openTalk()
}

func (p *Pane) promptDisabled() string {
	v := p.talks.view(p.chosen().ID)
	if v == nil {
		return "choose a session with a conversation, or ask a new agent"
	}
	return v.WhyNoPrompt()
}

func (p *Pane) prompt() tea.Cmd {
	p.talks.showActivity, p.stream.inDiff = false, false
	p.focus(true)
	return p.talks.view(p.chosen().ID).Write()
}

func (p *Pane) stopDisabled() string {
	id := p.chosen().ID
	if c := p.talks.known[id]; !c.here || p.talks.view(id) == nil {
		return "choose a session of an agent that runs here"
	} else if !c.state.Working() {
		return "it is not at work"
	}
	return ""
}

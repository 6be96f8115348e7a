package agents

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// talks are the open conversations.
type talks struct {
	known        map[versions.SessionID]conversation
	views        []*talk.View // open, the one shown last at the end
	showActivity bool         // the activity of a session is shown instead of its conversation
	listed       bool         // the conversations were listed once
	notReady     error        // why no agent can be started

	list     screen.Load[[]conversation]
	checking screen.Load[struct{}]
	begin    screen.Load[talk.Session]
}

// maxViews is how many conversations stay open besides the one shown.
const maxViews = 6

// Connect sets the host. It must be called before Start.
func (p *Pane) Connect(h Host) {
	if h.Unsent == nil {
		h.Unsent = map[versions.SessionID]string{}
	}
	p.host = h
}

// Close stops watching the conversations. Prompts that were not sent stay with the host.
func (p *Pane) Close() {
	for _, v := range p.talks.views {
		p.closeView(v)
	}
	p.talks.views = nil
}

func (p *Pane) closeView(v *talk.View) {
	p.host.Unsent[v.ID()] = v.Unsent()
	v.Close()
}

// talk returns the conversation that is shown, or nil.
func (p *Pane) talk() *talk.View {
	if p.talks.showActivity || p.shows || p.typed.On() {
		return nil
	}
	x, ok := p.chosen()
	if !ok {
		return nil
	}
	return p.view(x.ID)
}

func (p *Pane) view(id versions.SessionID) *talk.View {
	for _, v := range p.talks.views {
		if v.ID() == id {
			return v
		}
	}
	return nil
}

// openTalk opens the conversation of the selected session, if it has one. It opens the
// conversation again if it now runs in another process, or no longer runs.
func (p *Pane) openTalk() tea.Cmd {
	x, ok := p.chosen()
	if !ok {
		return nil
	}
	c, ok := p.talks.known[x.ID]
	if !ok {
		return nil
	}
	elsewhere := !c.here && c.info.Running
	if v := p.view(x.ID); v != nil {
		if v.Session() != nil && (c.here || v.Over()) || v.Session() == nil && !c.here && v.Elsewhere() == elsewhere {
			p.talks.views = append(slices.DeleteFunc(p.talks.views, func(o *talk.View) bool { return o == v }), v)
			p.fit()
			return nil
		}
		p.dropView(v)
	}
	var session talk.Session
	if c.here {
		session = p.host.Manager.Session(x.ID)
	}
	return p.showTalk(x.ID, session, elsewhere)
}

func (p *Pane) dropView(v *talk.View) {
	p.closeView(v)
	p.talks.views = slices.DeleteFunc(p.talks.views, func(o *talk.View) bool { return o == v })
}

func (p *Pane) showTalk(id versions.SessionID, session talk.Session, elsewhere bool) tea.Cmd {
	if session == nil && elsewhere && p.host.Kept == nil {
		return nil
	}
	cfg := talk.Config{
		ID: id, Session: session, Elsewhere: elsewhere, Store: p.host.Store, Here: p.host.Here,
		Resume: func() tea.Cmd { return p.resume(id) }, ResumeDisabled: p.resumeDisabled,
	}
	if p.host.Kept != nil {
		cfg.Recorded = p.host.Kept
	}
	v := talk.New(p.env, cfg)
	v.SetNow(p.clock())
	v.SetUnsent(p.host.Unsent[id])
	if len(p.talks.views) == maxViews {
		p.closeView(p.talks.views[0])
		p.talks.views = p.talks.views[1:]
	}
	p.talks.views = append(p.talks.views, v)
	p.fit()
	return v.Start()
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
	p.sessions.add([]versions.Session{c.row()}, p.Page())
	if v := p.view(id); v != nil {
		p.dropView(v)
	}
	row := 1 + slices.IndexFunc(p.sessions.list, func(x versions.Session) bool { return x.ID == id })
	p.talks.showActivity, p.follows = false, false
	cmd := tea.Batch(p.choose(row), p.listConversations(), p.env.Do(screen.Follow{}))
	if p.view(id) == nil { // its row was selected already
		cmd = tea.Batch(cmd, p.openTalk())
	}
	p.focus(true)
	if v := p.talk(); v != nil {
		cmd = tea.Batch(cmd, v.Write())
	}
	return cmd
}

func hint(err error) string {
	if s := talk.Advice(err); s != "" {
		return " · " + s
	}
	return ""
}

// talkKeys returns the keys about agents, which work in the whole pane.
func talkKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("agent", bindings, []keys.Action[*Pane]{
		keys.Act("new", "ask an agent", (*Pane).ask, (*Pane).agentDisabled, "a").As("new agent").Writing(),
		keys.Act("agent.prompt", "", (*Pane).prompt, (*Pane).promptDisabled).As("prompt"),
		keys.Act("agent.stop", "", (*Pane).stop, (*Pane).stopDisabled).As("stop"),
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

// lacksCredentials reports whether agents can't be started at all. An API that did not answer may answer
// later: the session tries again and shows that it does.
func (p *Pane) lacksCredentials() bool { return errors.Is(p.talks.notReady, agent.ErrNoCredentials) }

func (p *Pane) agentDisabled() string {
	switch {
	case p.host.Manager == nil:
		return "agents are switched off here"
	case p.lacksCredentials(): // briefly: every part of the pane shows it
		return "no credentials for the API: set ANTHROPIC_API_KEY" + hint(p.talks.notReady)
	}
	return ""
}

func (p *Pane) talkDisabled() string {
	x, ok := p.chosen()
	if !ok {
		return "choose a session"
	}
	if _, ok := p.talks.known[x.ID]; !ok {
		return "what it said was not kept: it runs elsewhere"
	}
	return ""
}

func (p *Pane) toggleTalk() tea.Cmd {
	p.talks.showActivity = !p.talks.showActivity
	p.shows = false
	p.fit()
	return p.openTalk()
}

func (p *Pane) promptDisabled() string {
	v := p.chosenTalk()
	if v == nil {
		return "choose a session with a conversation, or ask a new agent"
	}
	return v.WhyNoPrompt()
}

// chosenTalk returns the conversation of the selected session, shown or not.
func (p *Pane) chosenTalk() *talk.View {
	x, ok := p.chosen()
	if !ok {
		return nil
	}
	return p.view(x.ID)
}

func (p *Pane) prompt() tea.Cmd {
	p.talks.showActivity, p.shows = false, false
	p.focus(true)
	return p.chosenTalk().Write()
}

// resumeDisabled returns why a session that does not run can't be resumed.
func (p *Pane) resumeDisabled() string {
	if p.host.Manager == nil {
		return "it does not run any more, and agents are switched off here"
	}
	return p.agentDisabled()
}

func (p *Pane) resume(id versions.SessionID) tea.Cmd {
	manager := p.host.Manager
	return p.talks.begin.Begin(p.env.Ctx, func(ctx context.Context) (talk.Session, error) { return manager.Resume(ctx, id) }, p.began)
}

func (p *Pane) stopDisabled() string {
	x, ok := p.chosen()
	if c := p.talks.known[x.ID]; !ok || !c.here || p.chosenTalk() == nil {
		return "choose a session of an agent that runs here"
	} else if !c.state.Working() {
		return "it is not at work"
	}
	return ""
}

func (p *Pane) stop() tea.Cmd { return p.chosenTalk().Stop() }

package agents

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

// talks are the conversations of sessions: what is known of each, and those that are open. Their
// host reads and runs them.
type talks struct {
	Host
	ctx  context.Context
	took func([]conversation) tea.Cmd // called with all that are known

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

// view returns the open conversation of a session, or nil.
func (t *talks) view(id versions.SessionID) *talk.View {
	for _, v := range t.views {
		if v.ID() == id {
			return v
		}
	}
	return nil
}

// add adds an open conversation, and closes the one that was shown longest ago if there are too many.
func (t *talks) add(v *talk.View) {
	v.SetUnsent(t.Unsent[v.ID()])
	if len(t.views) == maxViews {
		t.drop(t.views[0])
	}
	t.views = append(t.views, v)
}

// drop closes a conversation. A prompt that was not sent stays with the host.
func (t *talks) drop(v *talk.View) {
	t.Unsent[v.ID()] = v.Unsent()
	v.Close()
	t.views = slices.DeleteFunc(t.views, func(o *talk.View) bool { return o == v })
}

// live reports whether a session was active in the last minute, and has not ended as far as is
// known: of most programs only their activity is.
func (t *talks) live(s versions.Session, now time.Time) bool {
	if c, ok := t.known[s.ID]; ok && !c.here && !c.info.Running {
		return false
	}
	return now.Sub(s.Seen) < liveFor
}

// liveFor is how long after its last activity a session counts as live if its end is unknown.
const liveFor = time.Minute

// refresh lists the conversations, one request at a time.
func (t *talks) refresh() tea.Cmd {
	if t.Kept == nil && t.Manager == nil || t.list.After(t.refresh) {
		return nil
	}
	kept, manager, known := t.Kept, t.Manager, maps.Clone(t.known)
	return t.list.Begin(t.ctx, func(ctx context.Context) ([]conversation, error) {
		return readConversations(ctx, kept, manager, known)
	}, func(list []conversation, err error) tea.Cmd {
		if err != nil {
			return nil
		}
		t.known = make(map[versions.SessionID]conversation, len(list))
		for _, c := range list {
			t.known[c.info.Session] = c
		}
		return t.took(list)
	})
}

// check checks whether an agent can be started.
func (t *talks) check() tea.Cmd {
	if t.Manager == nil {
		return nil
	}
	manager := t.Manager
	return t.checking.Begin(t.ctx, func(ctx context.Context) (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, readyWait)
		defer cancel()
		return struct{}{}, manager.Ready(ctx)
	}, func(_ struct{}, err error) tea.Cmd { t.notReady = err; return nil })
}

const readyWait = 10 * time.Second

// lacksCredentials reports whether agents can't be started at all. An API that did not answer may answer
// later: the session tries again and shows that it does.
func (t *talks) lacksCredentials() bool { return errors.Is(t.notReady, agent.ErrNoCredentials) }

// whyNoAgent returns why no agent can be started or resumed, or an empty string.
func (t *talks) whyNoAgent() string {
	switch {
	case t.Manager == nil:
		return "agents are switched off here"
	case t.lacksCredentials(): // briefly: every part of the pane shows it
		return "no credentials for the API: set ANTHROPIC_API_KEY" + hint(t.notReady)
	}
	return ""
}

func hint(err error) string {
	if s := talk.Advice(err); s != "" {
		return " · " + s
	}
	return ""
}

// toFollow returns the conversation that began last among those with agents that work here, if it
// replaces the one shown: one that began later does, and any if the agent of the one shown is not
// at work.
func (t *talks) toFollow(list []conversation, shown versions.SessionID) (to conversation, ok bool) {
	for _, c := range list {
		if c.here && c.state.Working() && (!ok || c.state.Began.After(to.state.Began)) {
			to, ok = c, true
		}
	}
	now := t.known[shown]
	return to, ok && to.info.Session != shown && (!now.here || !now.state.Working() || to.state.Began.After(now.state.Began))
}

package agents

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// conversation describes a session that has a conversation.
type conversation struct {
	info  conversations.Info
	state agent.State // of a session that runs here; otherwise the part that can be read from the ends of its file
	here  bool
}

// phase returns the phase of a session as its row shows it.
func (c conversation) phase() agent.Phase {
	if !c.here && !c.info.Running && c.state.Phase != agent.PhaseEnded {
		return agent.PhaseInterrupted
	}
	return c.state.Phase
}

// maxRead is how many conversations, newest first, are opened to find out what they are
// about. Older ones are only listed.
const maxRead = 60

// readConversations lists the conversations. It doesn't read a conversation again that has not grown.
func readConversations(ctx context.Context, kept Conversations, manager Manager, known map[versions.SessionID]conversation) ([]conversation, error) {
	var infos []conversations.Info
	if kept != nil {
		var err error
		if infos, err = kept.List(); err != nil {
			return nil, err
		}
	}
	here := map[versions.SessionID]talk.Session{}
	if manager != nil {
		for _, s := range manager.Sessions() {
			here[s.ID()] = s
			if !slices.ContainsFunc(infos, func(i conversations.Info) bool { return i.Session == s.ID() }) {
				infos = append(infos, conversations.Info{Session: s.ID(), Running: true})
			}
		}
	}
	var out []conversation
	for i, info := range infos {
		c := conversation{info: info}
		was, seen := known[info.Session]
		switch s := here[info.Session]; {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case s != nil && (kept == nil || s.State().Phase != agent.PhaseEnded): // else it may go on in another program
			c.state = s.State()
			c.here = c.state.Phase != agent.PhaseEnded
		case seen && was.info == info && !was.here:
			c = was
		case info.Running || i < maxRead:
			c.state = ends(kept, info.Session)
		default:
			c.state.Phase = agent.PhaseEnded // unknown: it was not opened
		}
		out = append(out, c)
	}
	return out, nil
}

// Prompt returns the first line of the first prompt of a recorded conversation, or "" if there is
// none.
func Prompt(kept talk.Recorded, id versions.SessionID) string { return begins(kept, id).Title }

// begins returns what the beginning of a conversation shows.
func begins(kept talk.Recorded, id versions.SessionID) (s agent.State) {
	first, _, err := kept.Read(id, 0)
	if err != nil {
		return s
	}
	for _, o := range first {
		var ev agent.Event
		if json.Unmarshal(o, &ev) == nil {
			s.Take(ev)
		}
		if s.Title != "" {
			break
		}
	}
	return s
}

// ends returns what the beginning and the end of a conversation show: who took part, what it
// was about, and how it ended.
func ends(kept Conversations, id versions.SessionID) agent.State {
	s := begins(kept, id)
	last, _, err := kept.ReadBack(id, -1)
	if err != nil {
		return s
	}
	for _, o := range last[max(len(last)-3, 0):] {
		var ev agent.Event
		if json.Unmarshal(o, &ev) == nil {
			s.Take(ev)
		}
	}
	return s
}

// row returns the session of a conversation without activity in this store so far.
func (c conversation) row() versions.Session {
	x := versions.Session{ID: c.info.Session, Actor: versions.Actor{Kind: versions.Agent, Name: c.state.Actor.Name}, Started: c.state.Began, Seen: c.info.Written}
	if x.Seen.IsZero() {
		x.Seen = c.state.Seen
	}
	if x.Started.IsZero() {
		x.Started = x.Seen
	}
	return x
}

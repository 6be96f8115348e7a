package agents

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// Host is what the pane needs to show and run conversations. With the zero Host, sessions are
// shown by their activity only.
type Host struct {
	Manager Manager       // nil if agents are disabled
	Kept    Conversations // nil if no conversations are recorded
	Here    versions.StoreID
	Access  versions.Access // of a new agent to that store
	// Store returns a store, to show what a tool call changed. It may block.
	Store func(context.Context, versions.StoreID) (talk.Store, error)
	// Unsent holds the prompts that are typed but not sent. They outlive the pane.
	Unsent map[versions.SessionID]string
}

// Manager runs agents in this process. Its methods may block; Session does not.
type Manager interface {
	// Ready returns an error if no session can be started.
	Ready(context.Context) error
	Start(context.Context, agent.Start) (talk.Session, error)
	// Resume continues a recorded conversation.
	Resume(context.Context, versions.SessionID) (talk.Session, error)
	// Session returns a session that runs or ran in this process, or nil.
	Session(versions.SessionID) talk.Session
	Sessions() []talk.Session
}

// Conversations holds the recorded conversations. *conversations.Folder implements it.
type Conversations interface {
	talk.Recorded
	List() ([]conversations.Info, error)
}

// Of adapts c for the screens; kept holds its conversations.
func Of(c *agent.Manager, kept talk.Recorded) Manager { return manager{c, kept} }

type manager struct {
	*agent.Manager
	kept talk.Recorded
}

func (c manager) Start(ctx context.Context, s agent.Start) (talk.Session, error) {
	x, err := c.Manager.Start(ctx, s)
	if err != nil {
		return nil, err
	}
	return talk.Of(x), nil
}

func (c manager) Resume(ctx context.Context, id versions.SessionID) (talk.Session, error) {
	x, err := c.Manager.Resume(ctx, read(c.kept, id))
	if err != nil {
		return nil, err
	}
	return talk.Of(x), nil
}

// read returns the events of a recorded conversation in order.
func read(kept talk.Recorded, id versions.SessionID) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for at := int64(0); ; {
			objects, next, err := kept.Read(id, at)
			if err != nil {
				yield(agent.Event{}, err)
				return
			}
			if next == at {
				return
			}
			at = next
			for _, o := range objects {
				var ev agent.Event
				if err := json.Unmarshal(o, &ev); !yield(ev, err) {
					return
				}
			}
		}
	}
}

func (c manager) Session(id versions.SessionID) talk.Session {
	if x := c.Manager.Session(id); x != nil {
		return talk.Of(x)
	}
	return nil
}

func (c manager) Sessions() []talk.Session {
	var out []talk.Session
	for _, x := range c.Manager.Sessions() {
		out = append(out, talk.Of(x))
	}
	return out
}

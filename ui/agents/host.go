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

// Host is what the pane needs to show conversations and to hold them. The zero Host
// has none of it: then sessions are shown by what they did.
type Host struct {
	Manager Manager       // nil: agents are switched off
	Kept    Conversations // nil: nothing that was said is kept
	Here    versions.StoreID
	// Store gives a store to look at what a call changed. It may block.
	Store func(context.Context, versions.StoreID) (talk.Store, error)
	// Stores lists those that a session can be given; nil: only the one that is open.
	Stores func(context.Context) ([]versions.StoreInfo, error)
	// Unsent are the prompts that are written and not sent. They outlive the pane.
	Unsent map[versions.SessionID]string
}

// Crew runs agents in this process. Its methods may block; Session does not.
type Manager interface {
	// Ready reports what stands in the way of a session.
	Ready(context.Context) error
	Models(context.Context) ([]agent.Model, error)
	// Settings are those of a session that brings none.
	Settings() agent.Settings
	Start(context.Context, agent.Start) (talk.Session, error)
	// Resume goes on with a conversation that is kept.
	Resume(context.Context, versions.SessionID) (talk.Session, error)
	// Session is one that this process runs, or ran; nil when there is none.
	Session(versions.SessionID) talk.Session
	Sessions() []talk.Session
}

// Conversations is where conversations are kept. *conversations.Folder satisfies it.
type Conversations interface {
	talk.Kept
	List() ([]conversations.Info, error)
}

// Of returns c as the screens use it; kept is where its conversations are.
func Of(c *agent.Manager, kept talk.Kept) Manager { return manager{c, kept} }

type manager struct {
	*agent.Manager
	kept talk.Kept
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

// read gives the events of a conversation that is kept, in order.
func read(kept talk.Kept, id versions.SessionID) iter.Seq2[agent.Event, error] {
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

package agent

import (
	"context"
	"time"

	"github.com/memtrail/memtrail/versions"
)

// CrewOptions say what the sessions of a Crew work with.
type CrewOptions struct {
	API       API
	Trail     *versions.Trail
	Journal   func(versions.SessionID) (Journal, error) // nil: conversations are not kept
	Settings  Settings                                  // of sessions that bring none
	Simulated bool                                      // the API is a script; the screens say so
	Now       func() time.Time                          // nil: time.Now
	// Report is told of a panic in a session, which is contained. Nil: nobody is.
	Report func(session versions.SessionID, what any, stack []byte)
}

// Journal keeps a conversation: every event but the live ones, in order. A session
// uses it from one goroutine.
type Journal interface {
	Append(Event) error
	Sync() error // what was appended is on disk
	Close() error
}

// Start says what a session begins with.
type Start struct {
	Prompt   string // may be empty: the session waits for Send
	Name     string // the actor's; empty: "agent"
	Stores   []versions.Attachment
	Settings Settings // zero: the crew's
}

// Crew are the sessions of the built-in agent that run in this process. It may be
// used from several goroutines.
type Crew struct {
	o CrewOptions
}

// NewCrew makes a crew without sessions.
func NewCrew(o CrewOptions) *Crew { return &Crew{o: o} }

// Ready reports what stands in the way of a session: ErrNoCredentials, whose text
// names the variables to set, or that the API can't be reached.
func (c *Crew) Ready(ctx context.Context) error { return nil }

// Start begins a session. The context is for the beginning only.
func (c *Crew) Start(ctx context.Context, s Start) (*Session, error) { return nil, nil }

// Resume goes on with a conversation that was kept: its events in order.
func (c *Crew) Resume(ctx context.Context, kept []Event) (*Session, error) { return nil, nil }

// Sessions lists the sessions in the order in which they began; those that ended
// in this process too.
func (c *Crew) Sessions() []*Session { return nil }

// Session finds one; nil when it isn't one of this process.
func (c *Crew) Session(id versions.SessionID) *Session { return nil }

// Close ends all sessions and waits for them; what is finished is kept.
func (c *Crew) Close() error { return nil }

package agent

import (
	"context"

	"github.com/memtrail/memtrail/versions"
)

// Session is one conversation with the built-in agent. It may be used from several
// goroutines; all that it does is told to who watches.
type Session struct {
	id versions.SessionID
}

// ID is the session of every change and read that it makes.
func (s *Session) ID() versions.SessionID { return s.id }

// State is how it stands now: a copy.
func (s *Session) State() State { return State{} }

// Send gives the agent a prompt. While it works the prompt waits.
func (s *Session) Send(text string) error { return nil }

// Stop ends what the agent is doing at once. The session stays, and goes on with
// the prompt that waits, if there is one.
func (s *Session) Stop() {}

// Close ends the session and waits for that; what is finished is kept.
func (s *Session) Close() error { return nil }

// Compact asks for a compaction, as soon as it can be.
func (s *Session) Compact() error { return nil }

// UndoCompact puts the messages back that the last compaction replaced.
func (s *Session) UndoCompact() error { return nil }

// Set changes the settings from the next turn on.
func (s *Session) Set(set Settings) error { return nil }

// Preview says what the next request would be with other settings.
func (s *Session) Preview(ctx context.Context, set Settings) (Preview, error) {
	return Preview{}, nil
}

// Preview is the next request as the settings stand and as they would be.
type Preview struct {
	Now, Then Prospect
	Estimated bool // tokens, because the API could not count them
}

// Prospect is a request that was not sent. What is cleared is simulated.
type Prospect struct {
	Tokens   int64
	Original int64 // before the context edits
	Cleared  Cleared
}

// Watch tells what happens from now on, until the context ends.
func (s *Session) Watch(ctx context.Context) *Subscription { return nil }

// Subscription is somebody who watches a session.
type Subscription struct{}

// Next waits for events: a batch at most every 33 ms, pieces of a text as one. The
// error is io.EOF after the session's last event.
func (sub *Subscription) Next(ctx context.Context) ([]Event, error) { return nil, nil }

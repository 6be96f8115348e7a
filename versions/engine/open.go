package engine

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/calls"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/evidence"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
)

// Trail is the journal of a home.
type Trail = core.Trail

// Store is one folder of memories with its part of the trail.
type Store = core.Store

// Open opens the trail of a home folder. It creates both if they don't exist.
func Open(ctx context.Context, home string, o versions.Options) (*Trail, error) {
	return core.OpenWith(ctx, home, o, core.Parts{Replica: replica.NewReplica, FinishErasing: redact.FinishErasing, ResumeErasing: redact.ResumeErasing})
}

// IsNew reports whether a home never had a trail. One that can't be looked at counts as an old one.
func IsNew(home string) bool {
	config := core.ConfigOf(home)
	return config.IsNew()
}

// NoteCall stores the agent and the session of a call in a home, until newer notes replace it. An
// agent's hook knows the session before the call is made, and the MCP server that receives the call
// finds the note by the id of the tool use.
//
// A note needs no more trust than the rest of the home: whoever can write a file there is the same
// user, and can change the trail as well. Redactions erase all notes.
func NoteCall(home string, by versions.By) error {
	if by.ToolUse == "" || by.Session == "" || !versions.Sane(by.ToolUse) || !versions.Sane(string(by.Session)) || !versions.Sane(by.Actor.Name) {
		return fmt.Errorf("%w: a note of a call needs the ids of its session and its tool use", versions.ErrInvalid)
	}
	if err := calls.Note(home, by.ToolUse, evidence.Spooled{Agent: by.Actor.Name, Session: by.Session, ToolUse: by.ToolUse}); err != nil {
		return fmt.Errorf("note the session of a call: %w", err)
	}
	return nil
}

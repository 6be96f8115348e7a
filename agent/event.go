package agent

import (
	"time"

	"github.com/memend/memend/versions"
)

// Kind is the kind of an Event.
type Kind string

// Events of the built-in agent's sessions. Live events go only to current watchers and are not
// stored.
const (
	Started      Kind = "session_started" // Settings, Stores, Simulated
	Resumed      Kind = "session_resumed" // Settings, Stores, Simulated: of a stored conversation
	Configured   Kind = "settings"        // Settings: from now on. Conversations of earlier versions have it
	Queued       Kind = "queued"          // live: Text: a prompt that waits for the end of the run
	Prompted     Kind = "prompt"          // Text: a prompt; a run begins
	Sent         Kind = "request"         // a turn began; Model, Tokens: of the prompt, estimated; Window
	BlockBegan   Kind = "block_started"   // live: Index, Type, and of a tool_use ToolUse and Tool
	Added        Kind = "delta"           // live: Index, Type, Text
	BlockEnded   Kind = "block"           // Index, Type, Block
	Calling      Kind = "call"            // live: a call is running; ToolUse, Tool, Command, Path, From
	Answered     Kind = "result"          // of a call: ToolUse, Tool, Command, Path, From, Text, IsError, Change, Store; Failure: of the store
	Replied      Kind = "reply"           // a turn is complete: Stop, Usage, Applied
	Retrying     Kind = "retry"           // Failure, Attempt, Wait: what the turn delivered is discarded
	Broken       Kind = "failed"          // a turn failed or was stopped: Failure, Text: the part of an unfinished text that is kept
	Compacting   Kind = "compacting"      // Compacted: what is known before it
	CompactedNow Kind = "compacted"       // Compacted, Usage; Failure: there is no summary and the history stays
	Idle         Kind = "idle"            // the person may prompt; Reason: why the run ended
	Ended        Kind = "session_ended"   // Reason
	Missed       Kind = "missed"          // live: this watcher was too slow; the events up to Seq must be read from the journal
)

// Events of the engine, about every writer and reader.
const (
	Changed Kind = "change" // Store, Change, Command (its kind); for each version: Operation, Path, From, Version, Plus, Minus
	Read    Kind = "read"   // Store, Path, Version
	// Attributed says that an earlier change got another author, or lost its inferred one:
	// Store, Change, Command, Path.
	Attributed Kind = "attribution"
	// MassDeleted says that one program deleted many memories at once: Store, Change (the
	// newest that deleted some), Deleted, Bulk.
	MassDeleted Kind = "mass_deletion"
)

// Renamed is the operation of a version that moved its memory, edited or not.
const Renamed versions.Operation = "renamed"

// Event is one act of an agent or of anybody else who uses a store. Its JSON is a line of
// `memend watch --json` and of a stored conversation. Fields that a kind does not name are
// zero.
type Event struct {
	Kind    Kind               `json:"type"`
	Seq     int64              `json:"seq,omitempty"` // within the session, from 1; a live event has that of the event before it
	Time    time.Time          `json:"time"`
	Store   versions.StoreID   `json:"memory_store_id,omitempty"`
	Session versions.SessionID `json:"session_id,omitempty"`
	Actor   versions.Actor     `json:"actor,omitzero"`
	Turn    int                `json:"turn,omitempty"`
	ToolUse string             `json:"tool_use_id,omitempty"`
	// Inferred says that the author was inferred from what an agent reported about its calls.
	Inferred bool `json:"inferred,omitempty"`

	Tool    string             `json:"tool,omitempty"`
	Command string             `json:"command,omitempty"` // of the memory tool, or the kind of a change; empty if another program wrote the folder
	Path    string             `json:"path,omitempty"`
	From    string             `json:"from,omitempty"`   // the path before a rename
	Target  string             `json:"target,omitempty"` // where the link at Path leads now
	Change  int64              `json:"change,omitempty"`
	Version versions.VersionID `json:"memory_version_id,omitempty"`

	Operation versions.Operation `json:"operation,omitempty"` // of the version, or Renamed
	Plus      int                `json:"lines_added,omitempty"`
	Minus     int                `json:"lines_removed,omitempty"`
	Deleted   int                `json:"deleted,omitempty"` // memories
	Bulk      *versions.Bulk     `json:"-"`                 // that deleted them
	IsError   bool               `json:"is_error,omitempty"`

	Index int    `json:"index,omitempty"` // of a block in its reply
	Type  string `json:"block_type,omitempty"`
	Text  string `json:"text,omitempty"`
	Block *Block `json:"block,omitempty"`

	Model     string        `json:"model,omitempty"`
	Settings  *Settings     `json:"settings,omitempty"`
	Stores    []Attachment  `json:"stores,omitempty"`
	Simulated bool          `json:"simulated,omitempty"` // the model is a script
	Tokens    int64         `json:"tokens_estimated,omitempty"`
	Window    int64         `json:"context_window,omitempty"` // of the model, in tokens; 0: unknown
	Stop      string        `json:"stop_reason,omitempty"`
	Explained string        `json:"stop_explanation,omitempty"`
	Usage     *Usage        `json:"usage,omitempty"`
	Applied   []AppliedEdit `json:"applied_edits,omitempty"`

	Failure   *Failure   `json:"error,omitempty"`
	Attempt   int        `json:"attempt,omitempty"` // the retry's number, from 1
	Wait      Millis     `json:"wait_ms,omitempty"` // until the retry
	Compacted *Compacted `json:"compaction,omitempty"`
	Reason    string     `json:"reason,omitempty"`
}

// Attachment is a store that a session works on.
type Attachment struct {
	Store        versions.StoreID `json:"memory_store_id"`
	Name         string           `json:"name"`
	Mount        string           `json:"mount_path"`
	Access       versions.Access  `json:"access"`
	Instructions string           `json:"instructions,omitempty"`
}

// Compacted is one compaction. The first Messages messages are no longer sent, unless the
// summary is in a reply: then the API ignores them.
type Compacted struct {
	Mode      CompactMode `json:"mode"`
	Model     string      `json:"model,omitempty"` // that makes the summary
	Threshold int64       `json:"threshold,omitempty"`
	Before    int64       `json:"tokens_before"`
	After     int64       `json:"tokens_after,omitempty"` // estimated until the next reply
	Messages  int         `json:"messages,omitempty"`     // replaced by the summary
	Summary   string      `json:"summary,omitempty"`
	Blocks    []Block     `json:"blocks,omitempty"`      // that replace the messages: the whole answer with the summary
	InReply   bool        `json:"in_reply,omitempty"`    // the API made the summary at its threshold: it is in the turn's reply
	Lost      bool        `json:"answer_lost,omitempty"` // the answer that crossed the threshold is dropped, as in the SDKs
}

// IsLive reports whether an event goes only to current watchers and is not stored.
func (e Event) IsLive() bool {
	switch e.Kind {
	case BlockBegan, Added, Queued, Calling, Missed:
		return true
	}
	return false
}

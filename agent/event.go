package agent

import (
	"time"

	"github.com/memend/memend/versions"
)

// Kind says what an Event tells.
type Kind string

// What sessions of the built-in agent tell. Those marked live are told to who watches
// here and are not kept.
const (
	Started      Kind = "session_started" // Settings, Stores, Simulated
	Resumed      Kind = "session_resumed" // Settings, Stores, Simulated: of a conversation that was kept
	Configured   Kind = "settings"        // Settings: from now on
	Queued       Kind = "queued"          // live: Text: of the person, who waits for the run's end
	Prompted     Kind = "prompt"          // Text: of the person; a run begins
	Sent         Kind = "request"         // a turn began; Model, Tokens: of the prompt, estimated; Window
	BlockBegan   Kind = "block_started"   // live: Index, Type, and of a tool_use ToolUse and Tool
	Added        Kind = "delta"           // live: Index, Type, Text
	BlockEnded   Kind = "block"           // Index, Type, Block
	Calling      Kind = "call"            // live: a call is being carried out; ToolUse, Tool, Command, Path, From
	Answered     Kind = "result"          // of a call: ToolUse, Tool, Command, Path, From, Text, IsError, Change, Store; Failure: of the store
	Replied      Kind = "reply"           // a turn is whole: Stop, Usage, Applied
	Retrying     Kind = "retry"           // Failure, Attempt, Wait: what came of the turn is void
	Broken       Kind = "failed"          // a turn failed or was stopped: Failure, Text: what the model keeps of an unfinished text
	Compacting   Kind = "compacting"      // Compacted: what is known before
	CompactedNow Kind = "compacted"       // Compacted, Usage; Failure: there is no summary and the history stays
	Uncompacted  Kind = "compaction_undone"
	Idle         Kind = "idle"          // the person may prompt; Reason: why the run ended
	Ended        Kind = "session_ended" // Reason
	Missed       Kind = "missed"        // live: this watcher was too slow; what was told till Seq is to be read in the journal
)

// What the engine tells of all who come to memory.
const (
	Changed Kind = "change" // Store, Change, Command (its kind); for each version: Operation, Path, From, Version, Plus, Minus
	Read    Kind = "read"   // Store, Path, Version
	// Of a change that was told of before it became known who made it, or that it is not
	// known after all: Store, Change, Command, Path.
	Attributed Kind = "attribution"
	// One program deleted many memories in one go: Store, Change (the newest), Deleted.
	MassDeleted Kind = "mass_deletion"
)

// Event is something that an agent, or anybody else who comes to memory, did. Its
// JSON is a line of `memend watch --json` and of a conversation that is kept.
// Fields that a kind does not name are zero.
type Event struct {
	Kind    Kind               `json:"type"`
	Seq     int64              `json:"seq,omitempty"` // within the session, from 1; a live event has that of the one before it
	Time    time.Time          `json:"time"`
	Store   versions.StoreID   `json:"memory_store_id,omitempty"`
	Session versions.SessionID `json:"session_id,omitempty"`
	Actor   Actor              `json:"actor,omitzero"`
	Turn    int                `json:"turn,omitempty"`
	ToolUse string             `json:"tool_use_id,omitempty"`
	// Inferred: who did it was concluded from what an agent told of its calls.
	Inferred bool `json:"inferred,omitempty"`

	Tool    string             `json:"tool,omitempty"`
	Command string             `json:"command,omitempty"` // of the memory tool, or the kind of a change
	Path    string             `json:"path,omitempty"`
	From    string             `json:"from,omitempty"` // the path before a rename
	Change  int64              `json:"change,omitempty"`
	Version versions.VersionID `json:"memory_version_id,omitempty"`

	Operation versions.Operation `json:"operation,omitempty"` // of the version
	Plus      int                `json:"lines_added,omitempty"`
	Minus     int                `json:"lines_removed,omitempty"`
	Deleted   int                `json:"deleted,omitempty"` // memories
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
	Window    int64         `json:"context_window,omitempty"` // of the model, in tokens; 0: not known
	Stop      string        `json:"stop_reason,omitempty"`
	Explained string        `json:"stop_explanation,omitempty"`
	Usage     *Usage        `json:"usage,omitempty"`
	Applied   []AppliedEdit `json:"applied_edits,omitempty"`

	Failure   *Failure      `json:"error,omitempty"`
	Attempt   int           `json:"attempt,omitempty"` // the retry's number, from 1
	Wait      time.Duration `json:"wait,omitempty"`    // nanoseconds until the retry
	Compacted *Compacted    `json:"compaction,omitempty"`
	Reason    string        `json:"reason,omitempty"`
}

// Actor is who did it, as in the engine.
type Actor struct {
	Type  versions.ActorKind `json:"type"`
	Name  string             `json:"name,omitempty"`
	Title string             `json:"title,omitempty"`
}

// Attachment is a store of a session.
type Attachment struct {
	Store        versions.StoreID `json:"memory_store_id"`
	Name         string           `json:"name"`
	Mount        string           `json:"mount_path"`
	Access       versions.Access  `json:"access"`
	Instructions string           `json:"instructions,omitempty"`
}

// Compacted is one compaction. The first Messages messages are gone from what is
// sent, unless the summary stands in a reply: then the API passes over them.
type Compacted struct {
	Mode      CompactMode `json:"mode"`
	Model     string      `json:"model,omitempty"` // that summarizes
	Threshold int64       `json:"threshold,omitempty"`
	Before    int64       `json:"tokens_before"`
	After     int64       `json:"tokens_after,omitempty"` // estimated until the next reply
	Messages  int         `json:"messages,omitempty"`     // that the summary stands for
	Summary   string      `json:"summary,omitempty"`
	Blocks    []Block     `json:"blocks,omitempty"`      // that stand for the messages: the answer with the summary, whole
	InReply   bool        `json:"in_reply,omitempty"`    // of a summary by the API at its threshold: it stands in the turn's reply
	Lost      bool        `json:"answer_lost,omitempty"` // the answer that crossed the threshold is dropped, as the SDKs did
}

// IsLive reports whether an event is only for who watches as it happens.
func (e Event) IsLive() bool {
	switch e.Kind {
	case BlockBegan, Added, Queued, Calling, Missed:
		return true
	}
	return false
}

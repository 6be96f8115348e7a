package agent

import (
	"time"

	"github.com/memtrail/memtrail/versions"
)

// Kind says what an Event tells.
type Kind string

// What sessions of the built-in agent tell. Those marked live are told to who watches
// here and are not kept.
const (
	Started      Kind = "session_started" // Model, Stores
	Prompted     Kind = "prompt"          // Text: of the person
	Sent         Kind = "request"         // a turn began; Tokens: of the prompt, estimated
	BlockBegan   Kind = "block_started"   // live: Index, Type, and of a tool_use ToolUse and Tool
	Added        Kind = "delta"           // live: Index, Type, Text
	BlockEnded   Kind = "block"           // Index, Type, Block
	Answered     Kind = "result"          // of a call: ToolUse, Tool, Command, Path, Text, IsError, Change, Store
	Replied      Kind = "reply"           // a turn is whole: Stop, Usage, Applied
	Retrying     Kind = "retry"           // Failure, Attempt, Wait
	Broken       Kind = "failed"          // a turn failed or was stopped: Failure, Text: what the model keeps of it
	Compacting   Kind = "compacting"      // Compacted: what is known before
	CompactedNow Kind = "compacted"       // Compacted
	Idle         Kind = "idle"            // the person may prompt; Reason: why the run ended
	Ended        Kind = "session_ended"   // Reason
)

// What the engine tells of all who come to memory.
const (
	Changed Kind = "change" // Store, Change, Command (its kind), Path, From, Version, Added, Removed
	Read    Kind = "read"   // Store, Path, Version
)

// Event is something that an agent, or anybody else who comes to memory, did. Its
// JSON is a line of `memtrail watch --json` and of a conversation that is kept.
// Fields that a kind does not name are zero.
type Event struct {
	Kind    Kind               `json:"type"`
	Time    time.Time          `json:"time"`
	Store   versions.StoreID   `json:"memory_store_id,omitempty"`
	Session versions.SessionID `json:"session_id,omitempty"`
	Actor   Actor              `json:"actor,omitzero"`
	Turn    int                `json:"turn,omitempty"`
	ToolUse string             `json:"tool_use_id,omitempty"`

	Tool    string             `json:"tool,omitempty"`
	Command string             `json:"command,omitempty"` // of the memory tool, or the kind of a change
	Path    string             `json:"path,omitempty"`
	From    string             `json:"from,omitempty"` // the path before a rename
	Change  int64              `json:"change,omitempty"`
	Version versions.VersionID `json:"memory_version_id,omitempty"`
	Plus    int                `json:"lines_added,omitempty"`
	Minus   int                `json:"lines_removed,omitempty"`
	IsError bool               `json:"is_error,omitempty"`

	Index int    `json:"index,omitempty"` // of a block in its reply
	Type  string `json:"block_type,omitempty"`
	Text  string `json:"text,omitempty"`
	Block *Block `json:"block,omitempty"`

	Model   string        `json:"model,omitempty"`
	Stores  []Attachment  `json:"stores,omitempty"`
	Tokens  int64         `json:"tokens_estimated,omitempty"`
	Stop    string        `json:"stop_reason,omitempty"`
	Usage   *Usage        `json:"usage,omitempty"`
	Applied []AppliedEdit `json:"applied_edits,omitempty"`

	Failure   *Failure      `json:"error,omitempty"`
	Attempt   int           `json:"attempt,omitempty"` // the retry's number, from 1
	Wait      time.Duration `json:"wait,omitempty"`    // nanoseconds until the retry
	Compacted *Compacted    `json:"compaction,omitempty"`
	Reason    string        `json:"reason,omitempty"`
}

// Actor is who did it, as in the engine.
type Actor struct {
	Type versions.ActorKind `json:"type"`
	Name string             `json:"name,omitempty"`
}

// Attachment is a store of a session.
type Attachment struct {
	Store        versions.StoreID `json:"memory_store_id"`
	Name         string           `json:"name"`
	Mount        string           `json:"mount_path"`
	Access       versions.Access  `json:"access"`
	Instructions string           `json:"instructions,omitempty"`
}

// Compacted is one compaction.
type Compacted struct {
	Mode      CompactMode `json:"mode"`
	Model     string      `json:"model,omitempty"` // that summarizes
	Threshold int64       `json:"threshold,omitempty"`
	Before    int64       `json:"tokens_before"`
	After     int64       `json:"tokens_after,omitempty"` // estimated until the next reply
	Messages  int         `json:"messages,omitempty"`     // that the summary stands for
	Summary   string      `json:"summary,omitempty"`
}

// IsLive reports whether an event is only for who watches as it happens.
func (e Event) IsLive() bool { return e.Kind == BlockBegan || e.Kind == Added }

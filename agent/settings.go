package agent

import (
	"encoding/json"
	"time"
)

// Settings are how a session works. They may be changed between two turns.
type Settings struct {
	Model     string
	MaxTokens int    // of one reply
	Thinking  bool   // adaptive
	Guidance  string // what the agent should remember, in the person's words
	Edits     []Edit // of the context; none: the context is never cleared
	Compact   Compaction
	Budget    Budget
	Idle      time.Duration // without a byte from the API, after which a turn failed
	Retries   int           // of one turn, after the first try
}

// Edit is one strategy of context editing, with every option that it has. Zero
// options are not sent, so the API's defaults hold.
type Edit struct {
	Type         string   // ClearToolUses, ClearThinking, or another that is sent as it is
	Trigger      Amount   // of ClearToolUses: input_tokens or tool_uses; default 100,000 input_tokens
	Keep         Amount   // tool_uses (default 3), or thinking_turns (default 1)
	KeepAll      bool     // of ClearThinking
	ClearAtLeast Amount   // of ClearToolUses: input_tokens
	ClearInputs  Inputs   // of ClearToolUses
	Exclude      []string // of ClearToolUses: tools whose uses and results are never cleared
	PauseAfter   bool     // of CompactEdit: stop after the summary
	Instructions string   // of CompactEdit
}

// The strategies that this package knows.
const (
	ClearToolUses = "clear_tool_uses_20250919"
	ClearThinking = "clear_thinking_20251015"
	CompactEdit   = "compact_20260112"
)

// Amount is a number of something.
type Amount struct {
	Unit  string `json:"type"` // input_tokens, tool_uses or thinking_turns
	Value int64  `json:"value"`
}

// The units of an Amount.
const (
	InputTokens   = "input_tokens"
	ToolUses      = "tool_uses"
	ThinkingTurns = "thinking_turns"
)

// Inputs says whose inputs are cleared with their results: of all tools, or of some.
type Inputs struct {
	All   bool
	Tools []string
}

// MarshalJSON gives the edit in the API's form.
func (e Edit) MarshalJSON() ([]byte, error) {
	m := map[string]any{"type": e.Type}
	put := func(key string, a Amount) {
		if a != (Amount{}) {
			m[key] = a
		}
	}
	put("trigger", e.Trigger)
	put("keep", e.Keep)
	put("clear_at_least", e.ClearAtLeast)
	if e.KeepAll {
		m["keep"] = "all"
	}
	switch {
	case len(e.ClearInputs.Tools) > 0:
		m["clear_tool_inputs"] = e.ClearInputs.Tools
	case e.ClearInputs.All:
		m["clear_tool_inputs"] = true
	}
	if len(e.Exclude) > 0 {
		m["exclude_tools"] = e.Exclude
	}
	if e.PauseAfter {
		m["pause_after_compaction"] = true
	}
	if e.Instructions != "" {
		m["instructions"] = e.Instructions
	}
	return json.Marshal(m)
}

// CompactMode is who makes the summary when a conversation gets too long.
type CompactMode string

const (
	CompactOff    CompactMode = "off"
	CompactServer CompactMode = "server" // the API, at a threshold and on demand
	CompactClient CompactMode = "client" // memtrail asks for a summary itself: for models and gateways that can't
)

// Compaction is how a conversation is made shorter.
type Compaction struct {
	Mode         CompactMode
	Threshold    int64  // tokens; 0: 150,000 of the server's, 100,000 of ours
	Instructions string // in the place of the default prompt
	Model        string // for the summary; empty: the session's. Client only
}

// Budget ends a prompt's run. Zero is no limit.
type Budget struct {
	Turns  int   // requests for one prompt
	Tokens int64 // input and output of the session, all its requests together
}

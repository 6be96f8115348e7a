package agent

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Settings configures a session. They may change between two turns.
type Settings struct {
	Model     string     `json:"model"`
	MaxTokens int        `json:"max_tokens"`         // of one reply
	Thinking  bool       `json:"thinking,omitempty"` // adaptive
	Guidance  string     `json:"guidance,omitempty"` // what the agent should remember, in the person's words
	Edits     []Edit     `json:"edits,omitempty"`    // of the context; none: the context is never cleared
	Compact   Compaction `json:"compaction,omitzero"`
	Budget    Budget     `json:"budget,omitzero"`
	Idle      Millis     `json:"idle_ms,omitempty"` // a turn fails after this long without a byte from the API; 0: no limit
	Retries   int        `json:"retries,omitempty"` // of one turn, after the first attempt
	Cache     bool       `json:"cache,omitempty"`   // the API caches the prompt between turns; some gateways refuse that
}

// Edit is one strategy of context editing with all its options. Zero options are not sent, so
// the API's defaults apply.
type Edit struct {
	Type         string   // ClearToolUses, ClearThinking, or another that is sent unchanged
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

// Inputs says whose inputs are cleared with their results: all tools' or some tools'.
type Inputs struct {
	All   bool
	Tools []string
}

// Has reports whether a tool's inputs are cleared.
func (i Inputs) Has(tool string) bool {
	return i.All && len(i.Tools) == 0 || slices.Contains(i.Tools, tool)
}

// MarshalJSON returns the edit in the API's form.
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

// UnmarshalJSON decodes an edit in the API's form. It refuses unknown options rather than
// ignoring them.
func (e *Edit) UnmarshalJSON(raw []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("context edit: %w", err)
	}
	*e = Edit{}
	for name, value := range fields {
		if err := e.read(name, value); err != nil {
			return fmt.Errorf("context edit: %s: %w", name, err)
		}
	}
	return nil
}

func (e *Edit) read(name string, value json.RawMessage) error {
	switch name {
	case "type":
		return json.Unmarshal(value, &e.Type)
	case "trigger":
		return json.Unmarshal(value, &e.Trigger)
	case "keep":
		return e.readKeep(value)
	case "clear_at_least":
		return json.Unmarshal(value, &e.ClearAtLeast)
	case "clear_tool_inputs":
		if json.Unmarshal(value, &e.ClearInputs.All) == nil {
			return nil
		}
		return json.Unmarshal(value, &e.ClearInputs.Tools)
	case "exclude_tools":
		return json.Unmarshal(value, &e.Exclude)
	case "pause_after_compaction":
		return json.Unmarshal(value, &e.PauseAfter)
	case "instructions":
		return json.Unmarshal(value, &e.Instructions)
	}
	return errUnknownOption
}

// readKeep reads an amount or "all", which may also be an object.
func (e *Edit) readKeep(value json.RawMessage) error {
	var all string
	if json.Unmarshal(value, &all) == nil && all == "all" {
		e.KeepAll = true
		return nil
	}
	if err := json.Unmarshal(value, &e.Keep); err != nil {
		return err
	}
	if e.Keep.Unit == "all" {
		e.Keep, e.KeepAll = Amount{}, true
	}
	return nil
}

// CompactMode says who makes the summary when a conversation gets too long.
type CompactMode string

const (
	CompactOff    CompactMode = "off"
	CompactServer CompactMode = "server" // the API, at a threshold and on demand
	CompactClient CompactMode = "client" // memend asks the model for a summary: for models and gateways without compaction
)

// Compaction configures how a long conversation is shortened.
type Compaction struct {
	Mode         CompactMode `json:"mode,omitempty"`         // empty: off
	Threshold    int64       `json:"threshold,omitempty"`    // in tokens; 0: 150,000 on the server, 100,000 in the client
	Instructions string      `json:"instructions,omitempty"` // instead of the default prompt
	Model        string      `json:"model,omitempty"`        // for the summary; empty: the session's. Client only
	LikeSDK      bool        `json:"like_sdk,omitempty"`     // client only: compact like the TypeScript SDK before 0.128.0, which loses an answer
}

// Budget limits the run of a prompt. Zero means no limit.
type Budget struct {
	Turns  int   `json:"turns,omitempty"`  // requests for one prompt
	Tokens int64 `json:"tokens,omitempty"` // input and output of the session, all its requests together
}

package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Settings are how a session works. They may be changed between two turns.
type Settings struct {
	Model     string        `json:"model"`
	MaxTokens int           `json:"max_tokens"`         // of one reply
	Thinking  bool          `json:"thinking,omitempty"` // adaptive
	Guidance  string        `json:"guidance,omitempty"` // what the agent should remember, in the person's words
	Edits     []Edit        `json:"edits,omitempty"`    // of the context; none: the context is never cleared
	Compact   Compaction    `json:"compaction,omitzero"`
	Budget    Budget        `json:"budget,omitzero"`
	Idle      time.Duration `json:"idle,omitempty"`    // without a byte from the API, after which a turn failed; nanoseconds
	Retries   int           `json:"retries,omitempty"` // of one turn, after the first try
	Cache     bool          `json:"cache,omitempty"`   // the API keeps the prompt between turns; some gateways refuse that
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

// Has reports whether a tool's inputs are cleared.
func (i Inputs) Has(tool string) bool {
	return i.All && len(i.Tools) == 0 || slices.Contains(i.Tools, tool)
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

// UnmarshalJSON reads an edit in the API's form. Options that this package doesn't
// know are refused: what is not understood must not be taken for what it isn't.
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

// readKeep reads an amount, or "all", which may be an object too.
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

// CompactMode is who makes the summary when a conversation gets too long.
type CompactMode string

const (
	CompactOff    CompactMode = "off"
	CompactServer CompactMode = "server" // the API, at a threshold and on demand
	CompactClient CompactMode = "client" // memend asks for a summary itself: for models and gateways that can't
)

// Compaction is how a conversation is made shorter.
type Compaction struct {
	Mode         CompactMode `json:"mode,omitempty"`         // empty: off
	Threshold    int64       `json:"threshold,omitempty"`    // tokens; 0: 150,000 of the server's, 100,000 of ours
	Instructions string      `json:"instructions,omitempty"` // in the place of the default prompt
	Model        string      `json:"model,omitempty"`        // for the summary; empty: the session's. Client only
	LikeSDK      bool        `json:"like_sdk,omitempty"`     // client only: as the TypeScript SDK did until 0.128.0, its losses included
}

// Budget ends a prompt's run. Zero is no limit.
type Budget struct {
	Turns  int   `json:"turns,omitempty"`  // requests for one prompt
	Tokens int64 `json:"tokens,omitempty"` // input and output of the session, all its requests together
}

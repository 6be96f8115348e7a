package script

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/memend/memend/agent"
)

// The supported beta features.
const (
	betaContext   = "context-management-2025-06-27"
	betaThreshold = "compact-2026-01-12"
	betaOnDemand  = "compact-2026-09-04"
)

// The API's messages for requests that break a rule. The first group is the API's own wording; the others are ours, because
// its wording is unknown.
const (
	msgUnanswered    = "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
	msgUnasked       = "messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
	msgTwice         = "messages: `tool_use` ids must be unique"
	msgEmptyText     = "messages: text content blocks must be non-empty"
	msgEmpty         = "messages.%d: all messages must have non-empty content except for the optional final assistant message"
	msgNoMessages    = "messages: at least one message is required"
	msgFirst         = "messages: first message must use the \"user\" role"
	msgThinkingOff   = "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive"
	msgBadSignature  = "messages.%d.content.%d: Invalid `signature` in `thinking` block"
	msgRequired      = "%s: Field required"
	msgNotPermitted  = "%s: Extra inputs are not permitted"
	msgThinkingFirst = "context_management.edits.%d: `clear_thinking_20251015` must be the first edit"
	msgUnknownEdit   = "context_management.edits.%d: Input tag %q found using 'type' does not match any of the expected tags: 'clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'"
	msgUnit          = "context_management.edits.%d.%s.type: Input should be %s"
	msgLeast         = "context_management.edits.%d.trigger.value: Input should be greater than or equal to %d"
	msgNotWith       = "compaction: cannot be combined with %s"
	msgUnfinished    = "compaction: the conversation ends on an assistant turn that is not finished"
	msgNothing       = "compaction: `messages` holds no content to summarize"
	msgMisplaced     = "messages.%d.content.%d: the `compaction` block must be the first block of the conversation"
	msgChanged       = "messages.%d.content.%d: the `compaction` block's `content` differs from what its `signature` recorded"
	msgSummaryEdit   = "messages.%d.content.%d: a signed `compaction` block cannot be combined with the `compact_20260112` edit"
	msgPrefill       = "This model does not support assistant message prefill. The conversation must end with a user message."
)

// check validates a request as the API does. It stores what it decodes in b.
func (b *body) check() *refusal {
	for _, f := range []func() *refusal{b.checkFields, b.checkEdits, b.checkCompaction, b.checkMessages, b.checkEnd} {
		if bad := f(); bad != nil {
			return bad
		}
	}
	switch {
	case b.MaxTokens == nil:
		return invalid(msgRequired, "max_tokens")
	case *b.MaxTokens < 1:
		return invalid("max_tokens: Input should be greater than or equal to 1")
	}
	return nil
}

func (b *body) checkFields() *refusal {
	if b.Model == "" {
		return invalid(msgRequired, "model")
	}
	if b.version == versionNew {
		for name, v := range map[string]json.RawMessage{"temperature": b.Temperature, "top_p": b.TopP, "top_k": b.TopK} {
			if v != nil {
				return invalid(msgNotPermitted, name)
			}
		}
	}
	if b.Thread != nil {
		return invalid("thread: the scripted API does not store message threads; send the whole conversation")
	}
	switch b.Thinking.Type {
	case "", "adaptive", "enabled", "disabled":
	default:
		return invalid("thinking: Input tag %q does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'", b.Thinking.Type)
	}
	return nil
}

func (b *body) checkEdits() *refusal {
	if b.Context == nil {
		return nil
	}
	for i, raw := range b.Context.Edits {
		var t struct{ Type string }
		_ = json.Unmarshal(raw, &t)
		if bad := b.checkEditType(i, t.Type); bad != nil {
			return bad
		}
		var e agent.Edit
		if err := json.Unmarshal(raw, &e); err != nil {
			return invalid("context_management.edits.%d: %v", i, err)
		}
		if bad := checkAmounts(i, e); bad != nil {
			return bad
		}
		b.edits = append(b.edits, e)
	}
	return nil
}

func (b *body) checkEditType(i int, kind string) *refusal {
	beta := betaContext
	switch kind {
	case agent.ClearThinking:
		if i > 0 {
			return invalid(msgThinkingFirst, i)
		}
		if !b.thinks() {
			return invalid(msgThinkingOff)
		}
	case agent.ClearToolUses:
	case agent.CompactEdit:
		beta = betaThreshold
	default:
		return invalid(msgUnknownEdit, i, kind)
	}
	if !b.has(beta) {
		return invalid(msgNotPermitted, "context_management")
	}
	return nil
}

// checkAmounts checks the units and limits of an edit's amounts.
func checkAmounts(i int, e agent.Edit) *refusal {
	units := map[string]map[string][]string{
		agent.ClearToolUses: {"trigger": {agent.InputTokens, agent.ToolUses}, "keep": {agent.ToolUses}, "clear_at_least": {agent.InputTokens}},
		agent.ClearThinking: {"keep": {agent.ThinkingTurns}},
		agent.CompactEdit:   {"trigger": {agent.InputTokens}},
	}[e.Type]
	for _, f := range []struct {
		name   string
		amount agent.Amount
	}{{"trigger", e.Trigger}, {"keep", e.Keep}, {"clear_at_least", e.ClearAtLeast}} {
		switch {
		case f.amount == agent.Amount{}:
		case units[f.name] == nil:
			return invalid(msgNotPermitted, "context_management.edits."+f.name)
		case !slices.Contains(units[f.name], f.amount.Unit):
			return invalid(msgUnit, i, f.name, "'"+strings.Join(units[f.name], "' or '")+"'")
		case f.amount.Value < 0:
			return invalid("context_management.edits.%d.%s.value: Input should be greater than or equal to 0", i, f.name)
		}
	}
	if e.Type == agent.CompactEdit && e.Trigger != (agent.Amount{}) && e.Trigger.Value < compactMin {
		return invalid(msgLeast, i, compactMin)
	}
	if e.Type == agent.ClearThinking && !e.KeepAll && e.Keep.Unit != "" && e.Keep.Value < 1 {
		return invalid("context_management.edits.%d.keep.value: Input should be greater than or equal to 1", i)
	}
	return nil
}

// checkCompaction checks that nothing conflicts with a compaction on demand.
func (b *body) checkCompaction() *refusal {
	if b.Compaction == nil {
		return nil
	}
	forced := b.ToolChoice.Type == "any" || b.ToolChoice.Type == "tool"
	switch {
	case !b.has(betaOnDemand):
		return invalid(msgNotPermitted, "compaction")
	case b.Compaction.Type != "summarize":
		return invalid("compaction: Input tag %q does not match any of the expected tags: 'summarize'", b.Compaction.Type)
	case b.Context != nil:
		return invalid(msgNotWith, "context_management")
	case len(b.Stops) > 0:
		return invalid(msgNotWith, "stop_sequences")
	case forced:
		return invalid(msgNotWith, "a forced tool_choice")
	case b.Format != nil || b.Output["format"] != nil:
		return invalid(msgNotWith, "an output format")
	case len(b.Messages) == 0:
		return invalid(msgNothing)
	}
	return nil
}

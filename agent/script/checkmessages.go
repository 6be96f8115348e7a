package script

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/memend/memend/agent"
)

// checkMessages checks that the messages form a conversation. Consecutive messages of the same role were combined before.
func (b *body) checkMessages() *refusal {
	if len(b.Messages) == 0 {
		return invalid(msgNoMessages)
	}
	ids := map[string]bool{}
	for i, m := range b.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return invalid("messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		if len(m.Content) == 0 && (m.Role == "user" || i < len(b.Messages)-1) {
			return invalid(msgEmpty, i)
		}
		for j, block := range m.Content {
			if bad := b.checkBlock(i, j, block, ids); bad != nil {
				return bad
			}
		}
		if bad := b.checkAnswered(i); bad != nil {
			return bad
		}
	}
	if first := b.Messages[0]; first.Role == "assistant" && (len(first.Content) == 0 || first.Content[0].Type != agent.TypeCompaction) {
		return invalid(msgFirst)
	}
	return nil
}

func (b *body) checkBlock(i, j int, block agent.Block, ids map[string]bool) *refusal {
	role := b.Messages[i].Role
	switch block.Type {
	case "":
		return invalid("messages.%d.content.%d.type: Field required", i, j)
	case agent.TypeText:
		if block.Text == "" {
			return invalid(msgEmptyText)
		}
	case agent.TypeThinking:
		return b.checkThinking(i, j, block)
	case agent.TypeToolUse:
		var input map[string]json.RawMessage
		switch {
		case role != "assistant":
			return invalid("messages.%d: `tool_use` blocks can only be in `assistant` messages", i)
		case block.ID == "" || block.Name == "":
			return invalid("messages.%d.content.%d: `tool_use` needs an id and a name", i, j)
		case ids[block.ID]:
			return invalid(msgTwice)
		case json.Unmarshal(block.Input, &input) != nil || input == nil:
			return invalid("messages.%d.content.%d.tool_use.input: Input should be a valid dictionary", i, j)
		}
		ids[block.ID] = true
	case agent.TypeToolResult:
		if role != "user" {
			return invalid("messages.%d: `tool_result` blocks can only be in `user` messages", i)
		}
		if i == 0 || !slices.ContainsFunc(b.Messages[i-1].Content, func(u agent.Block) bool { return u.Type == agent.TypeToolUse && u.ID == block.ID }) {
			return invalid(msgUnasked, i, j, block.ID)
		}
	case agent.TypeCompaction:
		return b.checkSummary(i, j, block)
	}
	return nil
}

func (b *body) checkThinking(i, j int, block agent.Block) *refusal {
	var f struct{ Signature string }
	_ = json.Unmarshal(block.Raw(), &f)
	if f.Signature == "" || strings.HasPrefix(f.Signature, signature) && f.Signature != sign(block.Text) {
		return invalid(msgBadSignature, i, j)
	}
	return nil
}

// checkSummary checks a summary: one made on demand is signed, must be the first block and needs its own beta.
func (b *body) checkSummary(i, j int, block agent.Block) *refusal {
	var f struct{ Signature string }
	_ = json.Unmarshal(block.Raw(), &f)
	if f.Signature == "" {
		if !b.has(betaThreshold) && !b.has(betaOnDemand) {
			return invalid(msgNotPermitted, "messages.content.compaction")
		}
		return nil
	}
	switch {
	case !b.has(betaOnDemand):
		return invalid(msgNotPermitted, "messages.content.compaction.signature")
	case i > 0 || j > 0:
		return invalid(msgMisplaced, i, j)
	case strings.HasPrefix(f.Signature, signature) && f.Signature != sign(block.Text):
		return invalid(msgChanged, i, j)
	case slices.ContainsFunc(b.edits, func(e agent.Edit) bool { return e.Type == agent.CompactEdit }):
		return invalid(msgSummaryEdit, i, j)
	}
	return nil
}

// checkAnswered checks that each call of a message has exactly one result in the next.
func (b *body) checkAnswered(i int) *refusal {
	var open []string
	for _, block := range b.Messages[i].Content {
		if block.Type == agent.TypeToolUse {
			open = append(open, block.ID)
		}
	}
	if len(open) == 0 {
		return nil
	}
	if i == len(b.Messages)-1 && b.Compaction != nil {
		return invalid(msgUnfinished)
	}
	if i < len(b.Messages)-1 {
		for _, block := range b.Messages[i+1].Content {
			if block.Type != agent.TypeToolResult {
				break // results come first
			}
			if n := len(open); n > 0 {
				open = slices.DeleteFunc(open, func(id string) bool { return id == block.ID })
				if len(open) == n {
					return invalid("messages.%d: each `tool_use` must have a single result. Found multiple `tool_result` blocks with id: %s", i+1, block.ID)
				}
			}
		}
	}
	if len(open) > 0 {
		return invalid(msgUnanswered, i, strings.Join(open, ", "))
	}
	return nil
}

// checkEnd checks the last message. An assistant message must be a summary or a paused turn that continues; newer models
// accept no other. A compaction is the opposite: it requires a finished turn.
func (b *body) checkEnd() *refusal {
	last := b.Messages[len(b.Messages)-1]
	if last.Role != "assistant" || len(last.Content) == 0 {
		return nil
	}
	end := last.Content[len(last.Content)-1]
	paused := b.paused != nil && b.paused(end)
	switch {
	case b.Compaction != nil && paused:
		return invalid(msgUnfinished)
	case b.Compaction == nil && !paused && end.Type != agent.TypeCompaction:
		return invalid(msgPrefill)
	}
	return nil
}

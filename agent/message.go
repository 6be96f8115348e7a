package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Message is one message of a conversation, in the API's form.
type Message struct {
	Role    string  `json:"role"` // user or assistant
	Content []Block `json:"content"`
}

// The block types that this package knows. Other blocks are stored and sent back unchanged.
const (
	TypeText             = "text"
	TypeThinking         = "thinking"
	TypeRedactedThinking = "redacted_thinking"
	TypeToolUse          = "tool_use"
	TypeToolResult       = "tool_result"
	TypeCompaction       = "compaction"
)

// Block is one content block. It is sent back to the API byte for byte as received, because the
// signatures of thinking blocks and unknown fields must survive; the fields here are copies. A
// Block is immutable.
type Block struct {
	Type    string
	Text    string          // of a text, a thinking block, a tool_result with one text, or the summary of a compaction
	ID      string          // of a tool_use; the tool_use that a tool_result answers
	Name    string          // of a tool_use: the tool
	Input   json.RawMessage // of a tool_use
	IsError bool            // of a tool_result

	raw json.RawMessage
}

// blockFields are the fields that are decoded from a block.
type blockFields struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	ToolUseID string          `json:"tool_use_id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// ParseBlock decodes a block in the API's form.
func ParseBlock(raw []byte) (Block, error) {
	var f blockFields
	if err := json.Unmarshal(raw, &f); err != nil {
		return Block{}, fmt.Errorf("content block: %w", err)
	}
	b := Block{Type: f.Type, Text: f.Text, ID: f.ID, Name: f.Name, Input: f.Input, IsError: f.IsError, raw: bytes.Clone(raw)}
	switch f.Type {
	case TypeThinking:
		b.Text = f.Thinking
	case TypeToolResult:
		b.ID, b.Text = f.ToolUseID, contentText(f.Content)
	case TypeCompaction:
		b.Text = contentText(f.Content)
	}
	return b, nil
}

// contentText returns the text of a content: a string, or the texts of its blocks.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []blockFields
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// TextBlock returns a text block for a person's or the model's text.
func TextBlock(text string) Block {
	return withRaw(Block{Type: TypeText, Text: text}, map[string]any{"type": TypeText, "text": text})
}

// ResultBlock returns the tool_result for a tool_use, with the text that the model reads.
func ResultBlock(toolUse, text string, isError bool) Block {
	m := map[string]any{"type": TypeToolResult, "tool_use_id": toolUse, "content": text}
	if isError {
		m["is_error"] = true
	}
	return withRaw(Block{Type: TypeToolResult, ID: toolUse, Text: text, IsError: isError}, m)
}

func withRaw(b Block, m map[string]any) Block {
	b.raw, _ = json.Marshal(m) // never fails: strings and booleans
	return b
}

// Raw returns the block as received or as it will be sent.
func (b Block) Raw() json.RawMessage { return b.raw }

// MarshalJSON returns the block as received.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.raw == nil {
		return nil, fmt.Errorf("content block of type %q was not made by this package", b.Type)
	}
	return b.raw, nil
}

// UnmarshalJSON decodes a block in the API's form.
func (b *Block) UnmarshalJSON(raw []byte) (err error) {
	*b, err = ParseBlock(raw)
	return err
}

// UserText returns a user message with one text.
func UserText(text string) Message {
	return Message{Role: "user", Content: []Block{TextBlock(text)}}
}

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

// The types of blocks that this package knows. Others are kept and sent back as they came.
const (
	TypeText             = "text"
	TypeThinking         = "thinking"
	TypeRedactedThinking = "redacted_thinking"
	TypeToolUse          = "tool_use"
	TypeToolResult       = "tool_result"
	TypeCompaction       = "compaction"
)

// Block is one content block. It goes back to the API as it came, byte for byte,
// because a thinking block's signature and fields of tomorrow must survive; what is
// read here are copies. A Block is not changed once it is made.
type Block struct {
	Type    string
	Text    string          // of a text, a thinking, a tool_result of one text, the summary of a compaction
	ID      string          // of a tool_use; the tool_use that a tool_result answers
	Name    string          // of a tool_use: the tool
	Input   json.RawMessage // of a tool_use
	IsError bool            // of a tool_result

	raw json.RawMessage
}

// blockFields are what is read of a block.
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

// ParseBlock reads a block in the API's form.
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

// contentText is a content that is one text, or the texts of its blocks.
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

// TextBlock is a text of a person or of the model.
func TextBlock(text string) Block {
	return made(Block{Type: TypeText, Text: text}, map[string]any{"type": TypeText, "text": text})
}

// ResultBlock answers a tool_use with the text that the model reads.
func ResultBlock(toolUse, text string, isError bool) Block {
	m := map[string]any{"type": TypeToolResult, "tool_use_id": toolUse, "content": text}
	if isError {
		m["is_error"] = true
	}
	return made(Block{Type: TypeToolResult, ID: toolUse, Text: text, IsError: isError}, m)
}

func made(b Block, m map[string]any) Block {
	b.raw, _ = json.Marshal(m) // strings and booleans
	return b
}

// Raw is the block as it came or is sent.
func (b Block) Raw() json.RawMessage { return b.raw }

// MarshalJSON gives the block as it came.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.raw == nil {
		return nil, fmt.Errorf("content block of type %q was not made by this package", b.Type)
	}
	return b.raw, nil
}

// UnmarshalJSON reads a block in the API's form.
func (b *Block) UnmarshalJSON(raw []byte) (err error) {
	*b, err = ParseBlock(raw)
	return err
}

// UserText is a message of the person with one text.
func UserText(text string) Message {
	return Message{Role: "user", Content: []Block{TextBlock(text)}}
}

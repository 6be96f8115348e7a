package script

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/memend/memend/agent"
)

// Turn is one reply of the model. The zero Turn is an empty reply.
type Turn struct {
	Blocks []Block
	Stop   string // stop_reason; empty: tool_use when a tool is called, else end_turn

	// React computes the turn from the request and overrides all other fields. Concurrent sessions call it concurrently, and
	// a retry calls it again.
	React func(Request) Turn

	Wait   time.Duration // before the first event; pings are sent meanwhile
	Delay  time.Duration // between events; 0: Options.Delay
	Noise  bool          // add events and deltas that no client knows
	Faults []Fault       // for the first attempt of this turn, the second, …; later attempts succeed
}

// Block is a content block of a turn.
type Block struct {
	kind string
	text string          // of a text or thinking block
	tool string          // of a call
	body json.RawMessage // a call's input, or a whole block of another type
}

// Say returns a text block.
func Say(text string) Block { return Block{kind: agent.TypeText, text: text} }

// Think returns a thinking block. It is signed, and the signature is checked when it is sent back.
func Think(text string) Block { return Block{kind: agent.TypeThinking, text: text} }

// Raw returns a block given in the API's form.
func Raw(block string) Block { return Block{body: json.RawMessage(block)} }

// Call returns a call of the memory tool.
func Call(input map[string]any) Block { return Use("memory", input) }

// Use returns a call of a tool.
func Use(tool string, input map[string]any) Block {
	return Block{kind: agent.TypeToolUse, tool: tool, body: marshal(input)}
}

// View returns a call of the memory tool's command view.
func View(path string) Block { return Call(map[string]any{"command": "view", "path": path}) }

// Create returns a call that creates a memory.
func Create(path, text string) Block {
	return Call(map[string]any{"command": "create", "path": path, "file_text": text})
}

// Replace returns a call that replaces the only occurrence of a text in a memory.
func Replace(path, old, text string) Block {
	return Call(map[string]any{"command": "str_replace", "path": path, "old_str": old, "new_str": text})
}

// Insert returns a call that inserts a text after a line.
func Insert(path string, line int, text string) Block {
	return Call(map[string]any{"command": "insert", "path": path, "insert_line": line, "insert_text": text})
}

// Delete returns a call that deletes a memory.
func Delete(path string) Block { return Call(map[string]any{"command": "delete", "path": path}) }

// Rename returns a call that moves a memory.
func Rename(from, to string) Block {
	return Call(map[string]any{"command": "rename", "old_path": from, "new_path": to})
}

// whole returns the block in the API's form.
func (b Block) whole(id string) json.RawMessage {
	switch b.kind {
	case agent.TypeText:
		return marshal(map[string]any{"type": b.kind, "text": b.text})
	case agent.TypeThinking:
		return marshal(map[string]any{"type": b.kind, "thinking": b.text, "signature": sign(b.text)})
	case agent.TypeToolUse:
		return marshal(map[string]any{"type": b.kind, "id": id, "name": b.tool, "input": b.body})
	}
	return b.body
}

// signature is the prefix of this package's signatures. Others are not checked.
const signature = "scripted."

func sign(text string) string {
	sum := sha256.Sum256([]byte(text))
	return signature + base64.RawURLEncoding.EncodeToString(sum[:18])
}

// marshal returns JSON as the API writes it, without the escapes for HTML. It never fails for the values of this package.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

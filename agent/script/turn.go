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

	// React makes the turn from the request, in the place of all else here. Sessions that
	// run at the same time call it at the same time, and a try again calls it again.
	React func(Request) Turn

	Wait   time.Duration // before the first event; pings come meanwhile
	Delay  time.Duration // between events; 0: Options.Delay
	Noise  bool          // with events and deltas that no client knows
	Faults []Fault       // what the first try of this turn meets, the second, …; later tries are served
}

// Block is a content block of a turn.
type Block struct {
	kind string
	text string          // of a text or a thinking
	tool string          // of a call
	body json.RawMessage // a call's input, or the whole of a block of another type
}

// Say is a text.
func Say(text string) Block { return Block{kind: agent.TypeText, text: text} }

// Think is a thinking. It is signed, and the signature is checked when it comes back.
func Think(text string) Block { return Block{kind: agent.TypeThinking, text: text} }

// Raw is a block as it is, in the API's form.
func Raw(block string) Block { return Block{body: json.RawMessage(block)} }

// Call is a call of the memory tool.
func Call(input map[string]any) Block { return Use("memory", input) }

// Use is a call of a tool.
func Use(tool string, input map[string]any) Block {
	return Block{kind: agent.TypeToolUse, tool: tool, body: marshal(input)}
}

// View, Create, Replace, Insert, Delete and Rename are the six commands of the memory tool.
func View(path string) Block { return Call(map[string]any{"command": "view", "path": path}) }

// Create writes a memory.
func Create(path, text string) Block {
	return Call(map[string]any{"command": "create", "path": path, "file_text": text})
}

// Replace replaces a text that stands once in a memory.
func Replace(path, old, text string) Block {
	return Call(map[string]any{"command": "str_replace", "path": path, "old_str": old, "new_str": text})
}

// Insert puts a text below a line.
func Insert(path string, line int, text string) Block {
	return Call(map[string]any{"command": "insert", "path": path, "insert_line": line, "insert_text": text})
}

// Delete removes a memory.
func Delete(path string) Block { return Call(map[string]any{"command": "delete", "path": path}) }

// Rename moves a memory.
func Rename(from, to string) Block {
	return Call(map[string]any{"command": "rename", "old_path": from, "new_path": to})
}

// whole is the block in the API's form.
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

// signature marks what this package signed. What another API signed is not judged.
const signature = "scripted."

func sign(text string) string {
	sum := sha256.Sum256([]byte(text))
	return signature + base64.RawURLEncoding.EncodeToString(sum[:18])
}

// marshal is JSON as the API writes it, without the escapes for HTML. What this
// package marshals can be.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

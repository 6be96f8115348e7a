package outside

import (
	"encoding/json"
	"time"

	"github.com/memtrail/memtrail/versions"
)

// hooked is what Claude Code tells a hook of a call.
type hooked struct {
	Tool     word            `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
	ToolUse  word            `json:"tool_use_id"`

	Subagent  word `json:"agent_type"`
	Directory word `json:"cwd"`
	Took      int  `json:"duration_ms"`
}

// hookLate is how long after a call its hook may come to be read.
const hookLate = 250 * time.Millisecond

// hook reads what a hook was told. A call that begins has no end. What is told of
// sessions, compactions and files touches no memory.
func (r *Reader) hook(event string, b []byte) (out []Call, known bool) {
	switch event {
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
	case "SessionStart", "SessionEnd", "PreCompact", "PostCompact", "FileChanged":
		return nil, true
	default:
		return nil, false
	}
	var h hooked
	if json.Unmarshal(b, &h) != nil {
		return nil, false
	}
	begun, ok := callOf(string(h.Tool), h.Input)
	if !ok {
		r.unknownTool(string(h.Tool))
		return nil, true
	}
	begun.ToolUse = string(h.ToolUse)
	now := r.Now()
	begun.Subagent, begun.Directory = string(h.Subagent), string(h.Directory)
	if event == "PreToolUse" {
		if begun.Op == versions.CallRead {
			return nil, true
		}
		begun.Began = now
		return []Call{begun.Call}, true
	}
	c, happened := begun.end(h.Response, event == "PostToolUseFailure")
	if !happened {
		return nil, true
	}
	c.Ended = now
	if c.Op == versions.CallRan && c.Began.IsZero() { // of no use without
		c.Began = now.Add(-time.Duration(h.Took)*time.Millisecond - hookLate)
	}
	return []Call{c}, true
}

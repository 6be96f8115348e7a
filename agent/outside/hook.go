package outside

import (
	"encoding/json"

	"github.com/memtrail/memtrail/versions"
)

// hooked is what Claude Code tells a hook of a call.
type hooked struct {
	Tool     word            `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
	ToolUse  word            `json:"tool_use_id"`
}

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
	return []Call{c}, true
}

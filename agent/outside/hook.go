package outside

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/memend/memend/versions"
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
	case "SessionStart":
		return r.started(b), true
	case "SessionEnd", "PreCompact", "PostCompact", "FileChanged":
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

// Announced is a call of a tool of an MCP server that a hook is told of before it is made.
// The tool's name begins with a prefix. What such a call does is journaled by the server;
// only its session and its subagent are told here.
func Announced(line []byte, prefix string) (c Call, ok bool) {
	var l said
	var h hooked
	if json.Unmarshal(line, &l) != nil || l.Hook != "PreToolUse" || json.Unmarshal(line, &h) != nil || !strings.HasPrefix(string(h.Tool), prefix) {
		return Call{}, false
	}
	return Call{Agent: ClaudeCode, Subagent: string(h.Subagent), Session: string(l.SessionID), ToolUse: string(h.ToolUse), Tool: string(h.Tool)}, true
}

// started is the start of a session, at which Claude Code makes the index of its
// memories where there is none. It does so about when it calls the hook.
func (r *Reader) started(b []byte) []Call {
	var h struct {
		Transcript word `json:"transcript_path"`
	}
	if json.Unmarshal(b, &h) != nil || h.Transcript == "" {
		return nil
	}
	now := r.Now()
	return []Call{{Tool: "SessionStart", Op: versions.CallStarted, Path: filepath.Join(filepath.Dir(string(h.Transcript)), "memory", indexName),
		Began: now.Add(-aroundStart), Ended: now.Add(aroundStart)}}
}

// initialized is the start of a session as stream-json tells it.
func (r *Reader) initialized(b []byte) []Call {
	var l struct {
		Directory string `json:"cwd"`
	}
	if r.Config == "" || json.Unmarshal(b, &l) != nil || plausible(l.Directory) == "" {
		return nil
	}
	now := r.Now()
	return []Call{{Tool: "SessionStart", Op: versions.CallStarted, Path: filepath.Join(r.Config, "projects", Slug(l.Directory), "memory", indexName),
		Began: now.Add(-aroundStart), Ended: now.Add(aroundStart)}}
}

// loaded are the indexes that a session put before its model when it started: what
// Claude Code made just now, or what was there.
func loaded(b []byte, at time.Time) (out []Call, known bool) {
	var l struct {
		Sidechain  bool `json:"isSidechain"` // a subagent's start makes none
		Attachment struct {
			Type  word `json:"type"`
			Files []struct {
				Path    string `json:"path"`
				Content string `json:"content"` // without the end of its last line
			} `json:"files"`
		} `json:"attachment"`
	}
	if json.Unmarshal(b, &l) != nil || l.Attachment.Type != "instructions" {
		return nil, false
	}
	for _, f := range l.Attachment.Files {
		if filepath.Base(f.Path) == indexName && !l.Sidechain {
			text := strings.TrimRight(f.Content, "\n") + "\n"
			out = append(out, Call{Tool: "SessionStart", Op: versions.CallStarted, Path: f.Path, Began: at.Add(-aroundStart), Ended: at, After: &text})
		}
	}
	return out, true
}

const (
	indexName = "MEMORY.md"
	// aroundStart is how long before or after a start is told of the index may be made.
	aroundStart = 5 * time.Second
)
